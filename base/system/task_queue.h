#ifndef LADDER_BASE_SYSTEM_TASK_QUEUE_H_
#define LADDER_BASE_SYSTEM_TASK_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/base/thread_annotations.h"

namespace ladder::base {

// A thread that runs tasks one after the other, in the order in which they were
// posted. Thread-safe.
class TaskQueue {
 public:
  using Task = std::function<void()>;

  TaskQueue();
  ~TaskQueue();  // Stops.

  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // False if the queue has stopped: the task will not run and has been
  // destroyed.
  bool Post(Task task);

  // Returns when nothing is left to run, tasks of tasks included. Not from a
  // task.
  void Flush();

  // Runs what has been posted and takes no more. Not from a task.
  void Stop();

 private:
  void Main();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool running_ ABSL_GUARDED_BY(mutex_) = false;  // A task is.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_TASK_QUEUE_H_
