#include "client/command/input/skipped_samples.h"

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::command {

absl::Status SkippedSamples::Take(const absl::Status& error) {
  if (!base::FaultReason(error).has_value()) return error;
  if (!skip_unreadable_) {
    return absl::Status(
        error.code(), absl::StrCat(error.message(),
                                   "; mend it, or leave such samples out with "
                                   "--skip-unreadable"));
  }
  const std::lock_guard lock(mutex_);
  messages_.emplace(error.message());
  return absl::OkStatus();
}

std::vector<std::string> SkippedSamples::List() const {
  const std::lock_guard lock(mutex_);
  return {messages_.begin(), messages_.end()};
}

}  // namespace ladder::command
