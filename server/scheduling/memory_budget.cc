#include "server/scheduling/memory_budget.h"

#include <utility>
#include <vector>

#include "absl/base/macros.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(1);

}  // namespace

absl::Status MemoryBudget::Lease::Grow(uint64_t bytes) {
  const uint64_t limit = budget_->limit_;
  uint64_t used = 0;
  {
    const base::MutexLock lock(budget_->mutex_);
    used = budget_->used_;
    if (used <= limit && bytes <= limit - used) {
      budget_->used_ += bytes;
      bytes_ += bytes;
      return absl::OkStatus();
    }
  }
  absl::Status status = absl::ResourceExhaustedError(absl::StrCat(
      "--max-inflight-bytes: expected groups in flight to take at most ", limit,
      " bytes, half of it, got ", bytes, " more while ", used, " are in use"));
  // Others will end; but who needs more than there is will never get it.
  if (bytes > limit || bytes_ + bytes > limit) return status;
  return WithRetryAfter(std::move(status), kRetryAfter);
}

void MemoryBudget::Lease::Count(uint64_t bytes) {
  const base::MutexLock lock(budget_->mutex_);
  budget_->used_ += bytes;
  bytes_ += bytes;
}

void MemoryBudget::Lease::Shrink(uint64_t bytes) {
  ABSL_HARDENING_ASSERT(bytes <= bytes_);
  bytes_ -= bytes;
  if (bytes > 0) budget_->GiveBack(bytes);
}

std::optional<MemoryBudget::Lease> MemoryBudget::TakeOrWait(uint64_t bytes,
                                                            Granted granted) {
  const base::MutexLock lock(mutex_);
  if (!waiters_.empty() || !HasRoom(bytes)) {
    waiters_.push_back({bytes, std::move(granted)});
    return std::nullopt;
  }
  used_ += bytes;
  return Lease(*this, bytes);
}

void MemoryBudget::GiveBack(uint64_t bytes) {
  std::vector<Waiter> lucky;  // Told without the lock.
  {
    const base::MutexLock lock(mutex_);
    used_ -= bytes;
    while (!waiters_.empty() && HasRoom(waiters_.front().bytes)) {
      used_ += waiters_.front().bytes;
      lucky.push_back(std::move(waiters_.front()));
      waiters_.pop_front();
    }
  }
  for (const Waiter& waiter : lucky) {
    waiter.granted(Lease(*this, waiter.bytes));
  }
}

}  // namespace ladder::server
