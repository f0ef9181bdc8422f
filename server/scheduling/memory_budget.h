#ifndef LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_
#define LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"

namespace ladder::server {

// How much memory all groups in flight may take together. Counts what callers
// say they take, before they take it.
//
// Thread-safe. Must outlive its leases.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // A part of the budget, given back in the end. Movable; one user at a time.
  class Lease {
   public:
    explicit Lease(MemoryBudget& budget) : budget_(&budget) {}
    ~Lease() { Shrink(bytes_); }
    Lease(Lease&& other) noexcept
        : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }

    // ResourceExhausted, naming flag, limit and what is in use; the lease is
    // then what it was before.
    absl::Status Grow(uint64_t bytes);
    // Expects bytes <= bytes().
    void Shrink(uint64_t bytes);

    uint64_t bytes() const { return bytes_; }

   private:
    MemoryBudget* budget_;
    uint64_t bytes_ = 0;
  };

  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> used_ = 0;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_
