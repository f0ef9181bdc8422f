#include "model_store/engine/instance_pool.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/system/mutex.h"

namespace ladder::model_store {

InstancePool::InstancePool(size_t num_instances) {
  for (size_t i = num_instances; i > 0; --i) idle_.push_back(i - 1);
}

absl::StatusOr<InstancePool::Lease> InstancePool::Acquire(
    std::stop_token stop) {
  base::MutexLock lock(mutex_);
  const Waiter self;
  waiting_.push_back(&self);
  const bool granted = changed_.wait(
      lock, std::move(stop), [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return waiting_.front() == &self && !idle_.empty();
      });
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &self));
  // Whoever comes next may find an instance too.
  if (!waiting_.empty()) changed_.notify_all();
  if (!granted) {
    return absl::CancelledError("stopped while waiting for an instance");
  }
  const size_t instance = idle_.back();
  idle_.pop_back();
  return Lease(this, instance);
}

size_t InstancePool::num_waiting() const {
  const base::MutexLock lock(mutex_);
  return waiting_.size();
}

void InstancePool::Return(size_t instance) {
  {
    const base::MutexLock lock(mutex_);
    idle_.push_back(instance);
    if (waiting_.empty()) return;
  }
  changed_.notify_all();
}

}  // namespace ladder::model_store
