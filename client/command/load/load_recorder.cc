#include "client/command/load/load_recorder.h"

#include <algorithm>

namespace ladder::command {

void LoadRecorder::Record(absl::Duration due, absl::Duration finished,
                          const LoadOutcome& outcome, bool stopped) {
  if (due < warm_up_) return;
  const std::lock_guard lock(mutex_);
  if (stopped && absl::IsCancelled(outcome.status)) {
    ++report_.abandoned;
    return;
  }
  report_.elapsed = std::max(report_.elapsed, finished - warm_up_);
  if (outcome.status.ok()) {
    RecordSuccess(finished - due, outcome);
    return;
  }
  ++report_.failed;
  LoadReport::Error& error = report_.errors[outcome.status.code()];
  if (error.count++ == 0) {
    error.first_message = std::string(outcome.status.message());
  }
}

void LoadRecorder::RecordSuccess(absl::Duration latency,
                                 const LoadOutcome& outcome) {
  ++report_.succeeded;
  report_.latency.Record(latency);
  for (const auto& [stage, duration] : outcome.stages) {
    auto it = std::find_if(report_.stages.begin(), report_.stages.end(),
                           [&](const auto& s) { return s.first == stage; });
    if (it == report_.stages.end()) {
      it = report_.stages.insert(it, {stage, LatencyHistogram()});
    }
    it->second.Record(duration);
  }
}

void LoadRecorder::RecordUnsent(absl::Duration due) {
  if (due < warm_up_) return;
  const std::lock_guard lock(mutex_);
  ++report_.unsent;
}

LoadReport LoadRecorder::Report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace ladder::command
