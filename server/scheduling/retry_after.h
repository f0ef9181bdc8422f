#ifndef LADDER_SERVER_SCHEDULING_RETRY_AFTER_H_
#define LADDER_SERVER_SCHEDULING_RETRY_AFTER_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace ladder::server {

// `status`, with a hint to the caller when to try again. Without one, trying
// again would not help.
absl::Status WithRetryAfter(absl::Status status, absl::Duration delay);
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_RETRY_AFTER_H_
