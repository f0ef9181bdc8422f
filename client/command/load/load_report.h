#ifndef LADDER_CLIENT_COMMAND_LOAD_LOAD_REPORT_H_
#define LADDER_CLIENT_COMMAND_LOAD_LOAD_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "base/terminal/terminal.h"
#include "client/command/load/latency_histogram.h"
#include "client/command/load/load_options.h"
#include "client/command/load/load_target.h"

namespace ladder::client {

// What a run has measured. Requests of the warm-up are in none of these.
struct LoadReport {
  struct Error {
    uint64_t count = 0;
    std::string first_message;
  };

  std::string target;  // "birds 3"
  uint64_t succeeded = 0;
  uint64_t failed = 0;
  // Called off because the run was stopped; neither of the above.
  uint64_t abandoned = 0;
  // Due in an open loop, but not sent when the time was up: max_in_flight
  // others had no answer.
  uint64_t unsent = 0;
  // From the warm-up's end to the last answer.
  absl::Duration elapsed;
  // How long requests took that succeeded: in an open loop from when they were
  // due, else from when they were sent.
  LatencyHistogram latency;
  std::map<absl::StatusCode, Error> errors;
  // What the server says that it spent on a request, in its order.
  std::vector<std::pair<std::string, LatencyHistogram>> stages;

  // Counts requests that succeeded; 0 if there were none.
  double RequestsPerSecond() const;
};

// The report for people, as lines that end in '\n'.
std::string RenderLoadReport(const LoadReport& report,
                             const LoadOptions& options,
                             const base::Terminal& terminal);

// The report for machines: one JSON object with times in seconds, without a
// line's end.
std::string LoadReportJson(const LoadReport& report,
                           const LoadOptions& options);

// Collects outcomes. Times are since the run's start. Thread-safe.
class LoadRecorder {
 public:
  // What is due before the end of `warm_up` is left out.
  explicit LoadRecorder(absl::Duration warm_up) : warm_up_(warm_up) {}

  // With `stopped`, a CANCELLED outcome is our own doing and no failure.
  void Record(absl::Duration due, absl::Duration finished,
              const LoadOutcome& outcome, bool stopped);

  void RecordUnsent(absl::Duration due);

  // What was recorded so far; the target is empty.
  LoadReport Report() const;

 private:
  void RecordSuccess(absl::Duration latency, const LoadOutcome& outcome)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const absl::Duration warm_up_;
  mutable base::Mutex mutex_;
  LoadReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_LOAD_LOAD_REPORT_H_
