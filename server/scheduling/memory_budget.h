#ifndef LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_
#define LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/system/mutex.h"

namespace ladder::server {

// How much memory one kind of things may take together. Counts what its users
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
    // Counts what is there already, whether there is room for it or not.
    void Count(uint64_t bytes);
    // Expects bytes <= bytes().
    void Shrink(uint64_t bytes);

    uint64_t bytes() const { return bytes_; }

   private:
    friend class MemoryBudget;
    Lease(MemoryBudget& budget, uint64_t bytes)
        : budget_(&budget), bytes_(bytes) {}

    MemoryBudget* budget_;
    uint64_t bytes_ = 0;
  };

  // For what can wait. A lease of `bytes` if there is room now and nobody else
  // waits; otherwise none, and `granted` is given it as soon as there is room,
  // in the order of asking, by whichever thread makes room: it must not block
  // or take locks that are held while memory is given back. What is larger than
  // the limit is let through when nothing else is there, so that no wait lasts
  // for ever.
  using Granted = std::function<void(Lease)>;
  std::optional<Lease> TakeOrWait(uint64_t bytes, Granted granted);

  uint64_t limit() const { return limit_; }
  uint64_t used() const {
    const base::MutexLock lock(mutex_);
    return used_;
  }

 private:
  struct Waiter {
    uint64_t bytes = 0;
    Granted granted = {};
  };

  void GiveBack(uint64_t bytes);
  bool HasRoom(uint64_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return used_ == 0 || (used_ <= limit_ && bytes <= limit_ - used_);
  }

  const uint64_t limit_;
  mutable base::Mutex mutex_;
  uint64_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Waiter> waiters_ ABSL_GUARDED_BY(mutex_);
};

// The memory of calls in flight, by kind, so that one kind that waits for room
// never keeps another from making it. Together they have --max-inflight-bytes.
struct MemoryBudgets {
  explicit MemoryBudgets(uint64_t limit)
      : groups(limit / 2), messages(limit / 4), pictures(limit / 4) {}

  uint64_t used() const {
    return groups.used() + messages.used() + pictures.used();
  }
  uint64_t limit() const {
    return groups.limit() + messages.limit() + pictures.limit();
  }

  MemoryBudget groups;    // What is known of groups, and answers. Refuses.
  MemoryBudget messages;  // From the wire until their samples are encoded.
  MemoryBudget pictures;  // Decoded, until they are encoded.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_MEMORY_BUDGET_H_
