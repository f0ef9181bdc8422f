#ifndef LADDER_ROUTING_THREAD_POOL_H_
#define LADDER_ROUTING_THREAD_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "base/system/mutex.h"

namespace ladder::routing {

// A fixed set of threads that the caller owns and lends to routing calls.
//
// Thread-safe: any number of threads may call `ParallelFor` at once; they share
// the workers. The calling thread always works too, so a pool of one thread
// starts none, and a busy pool slows a call down but never blocks it.
class ThreadPool {
 public:
  // Runs work on `num_threads` threads in all, the caller's included. Values
  // below one count as one.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();  // All calls must have returned.

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls `body(i)` once for every i in [0, count), in no particular order, and
  // returns when all calls have. Allocates nothing.
  void ParallelFor(size_t count, absl::FunctionRef<void(size_t)> body);

 private:
  // One ParallelFor in progress; lives on its caller's stack and hangs in
  // `loops_` while it has indices left to hand out.
  struct Loop;

  void WorkerMain();
  // Runs the indices of `loop` until none is left to hand out. The lock is not
  // held while the body runs.
  void Work(Loop& loop) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Unlink(Loop& loop) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  base::Mutex mutex_;
  std::condition_variable_any work_arrived_;
  std::condition_variable_any loop_finished_;
  // Singly linked, newest last.
  Loop* loops_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  std::vector<std::thread> workers_;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_THREAD_POOL_H_
