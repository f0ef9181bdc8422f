#ifndef LADDER_CLIENT_COMMAND_INPUT_SKIPPED_SAMPLES_H_
#define LADDER_CLIENT_COMMAND_INPUT_SKIPPED_SAMPLES_H_

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"

namespace ladder::command {

// What to do about samples that cannot be read, and which were left out.
// Thread-safe.
class SkippedSamples {
 public:
  explicit SkippedSamples(bool skip_unreadable)
      : skip_unreadable_(skip_unreadable) {}

  // Ok if the error is a fault of one sample (tables/fault.h) that is to be
  // left out, and is now listed; else the error, with advice. The same fault
  // is listed once, however often it is met.
  absl::Status Take(const absl::Status& error);

  // One message for each, sorted.
  std::vector<std::string> List() const;

 private:
  const bool skip_unreadable_;
  mutable std::mutex mutex_;
  std::set<std::string> messages_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_SKIPPED_SAMPLES_H_
