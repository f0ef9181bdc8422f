#ifndef LADDER_BASE_SYSTEM_THREADS_H_
#define LADDER_BASE_SYSTEM_THREADS_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/system/mutex.h"

namespace ladder::base {

// `duration` as waits take it: a year from now can still be added to the clock
// without overflow.
inline std::chrono::nanoseconds WaitTime(absl::Duration duration) {
  return absl::ToChronoNanoseconds(std::min(duration, absl::Hours(24 * 365)));
}

// Returns after `duration`, or as soon as `stop` is requested; false if it was.
// Inline, because the client library that is installed has only headers of
// base.
inline bool SleepFor(absl::Duration duration, const std::stop_token& stop) {
  Mutex mutex;
  std::condition_variable_any never;
  MutexLock lock(mutex);
  never.wait_for(lock, stop, WaitTime(duration), [] { return false; });
  return !stop.stop_requested();
}

// Calls `work` again and again on a thread of its own, `interval` after the
// last call has ended and for the first time `interval` after the start. An
// infinite interval means never.
class PeriodicThread {
 public:
  // `interval` must be positive.
  PeriodicThread(absl::Duration interval, std::function<void()> work);
  ~PeriodicThread() = default;  // Returns when no call is under way.

 private:
  std::jthread thread_;
};

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

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool running_ ABSL_GUARDED_BY(mutex_) = false;  // A task is.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_THREADS_H_
