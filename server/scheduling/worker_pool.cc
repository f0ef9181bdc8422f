#include "server/scheduling/worker_pool.h"

#include <algorithm>
#include <utility>

#include "base/system/mutex.h"

namespace ladder::server {

WorkerPool::WorkerPool(size_t num_threads) {
  for (size_t i = 0; i < std::max<size_t>(num_threads, 1); ++i) {
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

void WorkerPool::Post(uint64_t stream, Task task) {
  {
    const base::MutexLock lock(mutex_);
    tasks_.Push(stream, std::move(task));
  }
  changed_.notify_one();
}

void WorkerPool::Main() {
  base::MutexLock lock(mutex_);
  for (;;) {
    // A task that runs may post more, so that the last to stop is the one that
    // sees neither.
    changed_.wait(lock, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return !tasks_.empty() || (stopping_ && num_running_ == 0);
    });
    if (tasks_.empty()) break;
    Task task = std::move(tasks_.Front());
    tasks_.Pop();
    ++num_running_;
    lock.unlock();
    task();
    task = nullptr;  // What it holds is freed before others are told.
    lock.lock();
    --num_running_;
  }
  changed_.notify_all();
}

}  // namespace ladder::server
