#include "client/library/retry.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stop_token>
#include <utility>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/threads.h"
#include "client/library/call_status.h"

namespace ladder::client {
std::optional<absl::Duration> NextDelay(const RetryPolicy& policy, int attempt,
                                        const absl::Status& status,
                                        double uniform) {
  const std::optional<absl::Duration> hint = RetryHint(status);
  const bool may_pass = absl::IsUnavailable(status) ||
                        (absl::IsResourceExhausted(status) && hint.has_value());
  if (!may_pass || attempt >= policy.max_attempts) return std::nullopt;
  if (hint.has_value() && *hint < absl::ZeroDuration()) return std::nullopt;
  const absl::Duration doubled =
      policy.first_backoff * std::ldexp(1.0, std::min(attempt - 1, 30));
  const absl::Duration backoff =
      std::min(doubled, policy.max_backoff) * (0.5 + uniform / 2);
  // None too early, and not all at the same moment. Short hints, such as those
  // of a server that shuts down, must not use up all attempts at once.
  return std::max(hint.value_or(absl::ZeroDuration()) * (1 + uniform / 4),
                  backoff);
}

absl::Status Retry(
    const RetryPolicy& policy, const CallOptions& call,
    absl::FunctionRef<Outcome(const CallOptions&)> attempt,
    absl::FunctionRef<absl::Status(const absl::Status&)> before_retry) {
  std::minstd_rand random{std::random_device()()};
  const absl::Time deadline = absl::Now() + call.timeout;
  for (int i = 1;; ++i) {
    Outcome outcome =
        attempt({.timeout = deadline - absl::Now(), .stop = call.stop});
    if (outcome.status.ok() || outcome.is_ours) return outcome.status;
    const std::optional<absl::Duration> delay =
        NextDelay(policy, i, outcome.status,
                  std::uniform_real_distribution<double>()(random));
    if (!delay.has_value() || absl::Now() + *delay >= deadline) {
      return outcome.status;
    }
    if (!base::SleepFor(*delay, call.stop))
      return absl::CancelledError("stopped");
    LADDER_RETURN_IF_ERROR(before_retry(outcome.status));
  }
}

}  // namespace ladder::client
