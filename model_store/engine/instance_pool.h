#ifndef LADDER_MODEL_STORE_ENGINE_INSTANCE_POOL_H_
#define LADDER_MODEL_STORE_ENGINE_INSTANCE_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <stop_token>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/system/mutex.h"

namespace ladder::model_store {

// Lets a fixed number of callers work at the same time, each on an instance of
// its own; the others wait in the order in which they came.
//
// Thread-safe. Must outlive its leases.
class InstancePool {
 public:
  explicit InstancePool(size_t num_instances);

  // An instance, for as long as the lease lives.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          instance_(other.instance_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->Return(instance_);
    }

    size_t instance() const { return instance_; }  // From 0.

   private:
    friend class InstancePool;
    Lease(InstancePool* pool, size_t instance)
        : pool_(pool), instance_(instance) {}

    InstancePool* pool_;
    size_t instance_;
  };

  // Waits for an instance. Cancelled if `stop` is requested before.
  absl::StatusOr<Lease> Acquire(std::stop_token stop);

  size_t num_waiting() const;

 private:
  struct Waiter {};

  void Return(size_t instance);

  mutable base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<size_t> idle_ ABSL_GUARDED_BY(mutex_);
  std::deque<const Waiter*> waiting_
      ABSL_GUARDED_BY(mutex_);  // The first is next.
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_INSTANCE_POOL_H_
