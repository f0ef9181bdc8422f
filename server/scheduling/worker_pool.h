#ifndef LADDER_SERVER_SCHEDULING_WORKER_POOL_H_
#define LADDER_SERVER_SCHEDULING_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"
#include "server/scheduling/fair_queue.h"
#include "server/scheduling/work_account.h"

namespace ladder::server {

// Threads that run tasks of many calls, in the turns of FairQueue, and charge
// each task's time to its owner. There is one thread more than processors, and
// never so many long tasks that none is left for the short ones: nobody waits
// behind other people's pictures of fifty megapixels. It bounds no queue: those
// who post tasks have no more of them than they have work in flight.
//
// Thread-safe.
class WorkerPool {
 public:
  using Task = std::function<void()>;

  // Tasks that may take longer than this are to be posted as long ones.
  static constexpr absl::Duration kShort = absl::Milliseconds(10);
  enum class Length { kShort, kLong };
  static Length LengthOf(absl::Duration expected) {
    return expected > kShort ? Length::kLong : Length::kShort;
  }

  // At most `num_processors` long tasks run at the same time, and one more task
  // of any length; a value below one counts as one.
  explicit WorkerPool(size_t num_processors);
  ~WorkerPool();  // Runs what has been posted, tasks of tasks included.

  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Post(const WorkOwner& owner, Length length, Task task);

 private:
  void Main();
  // The queue with the task to be run next; null if there is none.
  FairQueue<Task>* NextQueue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_long_;
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  FairQueue<Task> short_ ABSL_GUARDED_BY(mutex_);
  FairQueue<Task> long_ ABSL_GUARDED_BY(mutex_);
  size_t num_running_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t num_long_running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_WORKER_POOL_H_
