#ifndef LADDER_CLIENT_LIBRARY_RETRY_H_
#define LADDER_CLIENT_LIBRARY_RETRY_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ladder/client/client_options.h"

namespace ladder::client {

// How long to wait after attempt number `attempt`, which is 1 for the first,
// has failed with `status`; nothing if there should be no other. `uniform` is
// random, from 0 to 1.
std::optional<absl::Duration> NextDelay(const RetryPolicy& policy, int attempt,
                                        const absl::Status& status,
                                        double uniform);

// What became of an attempt.
struct Outcome {
  absl::Status status = {};
  // Not the server's: another attempt would not change it, whatever its code.
  bool is_ours = false;
};

// Calls `attempt` with the time that is left until it succeeds or the policy
// gives up, and returns its last status. `before_retry` is told why there is
// another; its own error ends all. CANCELLED if stopped while waiting.
absl::Status Retry(
    const RetryPolicy& policy, const CallOptions& call,
    absl::FunctionRef<Outcome(const CallOptions&)> attempt,
    absl::FunctionRef<absl::Status(const absl::Status&)> before_retry);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_RETRY_H_
