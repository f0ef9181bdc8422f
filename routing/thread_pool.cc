#include "routing/thread_pool.h"

namespace ladder::routing {

struct ThreadPool::Loop {
  absl::FunctionRef<void(size_t)> body;
  size_t count;
  size_t next = 0;      // The first index not handed out yet.
  size_t finished = 0;  // How many calls of `body` have returned.
  Loop* next_loop = nullptr;
};

ThreadPool::ThreadPool(int num_threads) {
  for (int i = 1; i < num_threads; ++i) {
    workers_.emplace_back([this] { WorkerMain(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  work_arrived_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::ParallelFor(size_t count,
                             absl::FunctionRef<void(size_t)> body) {
  if (workers_.empty() || count < 2) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop{.body = body, .count = count};
  base::MutexLock lock(mutex_);
  Loop** tail = &loops_;
  while (*tail != nullptr) tail = &(*tail)->next_loop;
  *tail = &loop;
  work_arrived_.notify_all();
  Work(loop);
  loop_finished_.wait(lock, [&] { return loop.finished == loop.count; });
}

void ThreadPool::WorkerMain() {
  base::MutexLock lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return stopping_ || loops_ != nullptr;
    });
    if (stopping_) return;
    Work(*loops_);
  }
}

void ThreadPool::Work(Loop& loop) {
  while (loop.next < loop.count) {
    const size_t index = loop.next++;
    // Nobody may find the loop once its last index is taken: it dies with its
    // caller's stack frame as soon as the last call returns.
    if (loop.next == loop.count) Unlink(loop);
    mutex_.unlock();
    loop.body(index);
    mutex_.lock();
    if (++loop.finished == loop.count) {
      loop_finished_.notify_all();
      return;
    }
  }
}

void ThreadPool::Unlink(Loop& loop) {
  Loop** link = &loops_;
  while (*link != &loop) link = &(*link)->next_loop;
  *link = loop.next_loop;
}

}  // namespace ladder::routing
