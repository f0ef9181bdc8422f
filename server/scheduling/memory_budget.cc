#include "server/scheduling/memory_budget.h"

#include <utility>

#include "absl/base/macros.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/scheduling/retry_after.h"

namespace ladder::server {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(1);

}  // namespace

absl::Status MemoryBudget::Lease::Grow(uint64_t bytes) {
  uint64_t used = budget_->used();
  do {
    if (bytes > budget_->limit_ - used) {
      absl::Status status = absl::ResourceExhaustedError(absl::StrCat(
          "--max-inflight-bytes: expected groups in flight to take at most ",
          budget_->limit_, " bytes, got ", bytes, " more while ", used,
          " are in use"));
      // Others will end; but who needs more than there is will never get it.
      if (bytes_ + bytes > budget_->limit_) return status;
      return WithRetryAfter(std::move(status), kRetryAfter);
    }
  } while (!budget_->used_.compare_exchange_weak(used, used + bytes,
                                                 std::memory_order_relaxed));
  bytes_ += bytes;
  return absl::OkStatus();
}

void MemoryBudget::Lease::Shrink(uint64_t bytes) {
  ABSL_HARDENING_ASSERT(bytes <= bytes_);
  bytes_ -= bytes;
  budget_->used_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace ladder::server
