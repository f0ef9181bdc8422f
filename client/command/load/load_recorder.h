#ifndef LADDER_CLIENT_COMMAND_LOAD_LOAD_RECORDER_H_
#define LADDER_CLIENT_COMMAND_LOAD_LOAD_RECORDER_H_

#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "client/command/load/load_report.h"
#include "client/command/load/load_target.h"

namespace ladder::command {

// Collects outcomes. Times are since the run's start. Thread-safe.
class LoadRecorder {
 public:
  // What is due before the end of `warm_up` is left out.
  explicit LoadRecorder(absl::Duration warm_up) : warm_up_(warm_up) {}

  // With `stopped`, CANCELLED is of our own making.
  void Record(absl::Duration due, absl::Duration finished,
              const LoadOutcome& outcome, bool stopped);

  void RecordUnsent(absl::Duration due);

  // All so far, without a target.
  LoadReport Report() const;

 private:
  void RecordSuccess(absl::Duration latency, const LoadOutcome& outcome)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const absl::Duration warm_up_;
  mutable std::mutex mutex_;
  LoadReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_LOAD_LOAD_RECORDER_H_
