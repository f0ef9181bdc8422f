#ifndef LADDER_SERVER_SCHEDULING_WORKER_POOL_H_
#define LADDER_SERVER_SCHEDULING_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/system/mutex.h"
#include "server/scheduling/fair_queue.h"

namespace ladder::server {

// Threads that run short tasks of many streams, in turns, so that a stream with
// many tasks does not keep the others waiting. It bounds no queue: those who
// post tasks have no more of them than they have work in flight.
//
// Thread-safe.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  // Values below one count as one.
  explicit WorkerPool(size_t num_threads);
  ~WorkerPool();  // Runs what has been posted, tasks of tasks included.

  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Post(uint64_t stream, Task task);

 private:
  void Main();

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  FairQueue<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  size_t num_running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_WORKER_POOL_H_
