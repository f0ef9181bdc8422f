#include "server/scheduling/worker_pool.h"

#include <algorithm>
#include <utility>

#include "base/system/mutex.h"
#include "base/system/steady_time.h"

namespace ladder::server {

WorkerPool::WorkerPool(size_t num_processors)
    : most_long_(std::max<size_t>(num_processors, 1)) {
  for (size_t i = 0; i < most_long_ + 1; ++i) {
    threads_.emplace_back(&WorkerPool::Main, this);
  }
}

WorkerPool::~WorkerPool() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Post(const WorkOwner& owner, Length length, Task task) {
  {
    const base::MutexLock lock(mutex_);
    (length == Length::kLong ? long_ : short_).Push(owner, std::move(task));
  }
  changed_.notify_one();
}

FairQueue<WorkerPool::Task>* WorkerPool::NextQueue() {
  const bool may_be_long = !long_.empty() && num_long_running_ < most_long_;
  if (short_.empty()) {
    if (!may_be_long) return nullptr;
    long_.BeginTurn();
    return &long_;
  }
  short_.BeginTurn();
  if (!may_be_long) return &short_;
  long_.BeginTurn();
  return ComesBefore(long_.owner(), short_.owner()) ? &long_ : &short_;
}

void WorkerPool::Main() {
  base::MutexLock lock(mutex_);
  for (;;) {
    FairQueue<Task>* const queue = NextQueue();
    if (queue == nullptr) {
      // A task that runs may post more, so that the last to stop is the one
      // that sees neither.
      if (stopping_ && num_running_ == 0) break;
      changed_.wait(lock);
      continue;
    }
    const WorkOwner owner = queue->owner();
    Task task = std::move(queue->Front());
    queue->Pop();
    const bool is_long = queue == &long_;
    ++num_running_;
    if (is_long) ++num_long_running_;
    lock.unlock();
    const absl::Time begin = base::SteadyNow();
    task();
    task = nullptr;  // What it holds is freed before others are told.
    owner.Charge(base::SteadyNow() - begin);
    lock.lock();
    --num_running_;
    if (is_long) --num_long_running_;
    // A long task may have waited for this one's place.
    if (is_long && !long_.empty()) changed_.notify_one();
  }
  changed_.notify_all();
}

}  // namespace ladder::server
