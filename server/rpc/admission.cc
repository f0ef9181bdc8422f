#include "server/rpc/admission.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/system/mutex.h"
#include "server/config/server_config.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kShortestRetry = absl::Milliseconds(50);
constexpr absl::Duration kLongestRetry = absl::Seconds(5);

absl::Status ClosedError() {
  return WithRetryAfter(absl::UnavailableError("the server is shutting down"),
                        kShortestRetry);
}

}  // namespace

absl::Status Admission::CheckQueue() const {
  const size_t num_waiting = scheduler_.num_waiting();
  if (num_waiting < options_.max_waiting_samples) return absl::OkStatus();
  return WithRetryAfter(
      absl::ResourceExhaustedError(
          absl::StrCat(BatchingConfig::kMaxQueuedSamplesFlag,
                       ": expected fewer than ", options_.max_waiting_samples,
                       " samples to wait, found ", num_waiting)),
      std::clamp(scheduler_.ExpectedWait(), kShortestRetry, kLongestRetry));
}

absl::Status Admission::CheckOpen() const {
  const base::MutexLock lock(mutex_);
  return closed_ ? ClosedError() : absl::OkStatus();
}

absl::StatusOr<Admission::Ticket> Admission::Enter() {
  absl::Status status = CheckQueue();
  const base::MutexLock lock(mutex_);
  if (closed_) return ClosedError();
  if (!status.ok()) return status;
  if (num_calls_ >= options_.max_calls) {
    return WithRetryAfter(
        absl::ResourceExhaustedError(absl::StrCat(
            LimitsConfig::kMaxConcurrentStreamsFlag, ": expected at most ",
            options_.max_calls, " calls at once, one more came")),
        std::clamp(scheduler_.ExpectedWait(), kShortestRetry, kLongestRetry));
  }
  ++num_calls_;
  return Ticket(this);
}

void Admission::Close() {
  const base::MutexLock lock(mutex_);
  closed_ = true;
}

bool Admission::WaitUntilEmpty(absl::Time deadline) {
  base::MutexLock lock(mutex_);
  return emptied_.wait_until(
      lock, absl::ToChronoTime(deadline),
      [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return num_calls_ == 0; });
}

uint64_t Admission::num_calls() const {
  const base::MutexLock lock(mutex_);
  return num_calls_;
}

void Admission::Leave() {
  // Notified under the lock: the admission may be gone right after it.
  const base::MutexLock lock(mutex_);
  if (--num_calls_ == 0) emptied_.notify_all();
}

}  // namespace ladder::server
