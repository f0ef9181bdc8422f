#include "server/scheduling/memory_budget.h"

#include "absl/base/macros.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {

absl::Status MemoryBudget::Lease::Grow(uint64_t bytes) {
  uint64_t used = budget_->used();
  do {
    if (bytes > budget_->limit_ - used) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "--max-inflight-bytes: expected groups in flight to take at most ",
          budget_->limit_, " bytes, got ", bytes, " more while ", used,
          " are in use"));
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
