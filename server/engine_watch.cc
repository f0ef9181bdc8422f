#include "server/engine_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace ladder::server {

EngineWatch::EngineWatch(Options options) : options_(std::move(options)) {}

void EngineWatch::Look(const std::stop_token& stop) {
  absl::Status status;
  if (options_.num_failed_runs() >= kManyFailedRuns) status = TryModels(stop);
  if (stop.stop_requested()) return;
  {
    const base::MutexLock lock(mutex_);
    // The error's words may differ from run to run.
    const bool changed = status.ok() != status_.ok();
    status_ = status;
    if (!changed) return;
  }
  options_.on_change(status);
}

absl::Status EngineWatch::TryModels(const std::stop_token& stop) const {
  absl::Status last;
  for (const model_store::ModelHandle& model : options_.served()) {
    const absl::Status status = model->TryOut(stop);
    if (status.ok()) return status;
    last = status;
  }
  if (last.ok()) return last;  // There is nothing to try.
  return absl::UnavailableError(
      absl::StrCat("not ready: every run of a model fails: ", last.message()));
}

absl::Status EngineWatch::status() const {
  const base::MutexLock lock(mutex_);
  return status_;
}

}  // namespace ladder::server
