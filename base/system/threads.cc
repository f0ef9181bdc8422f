#include "base/system/threads.h"

#include <utility>

namespace ladder::base {

PeriodicThread::PeriodicThread(absl::Duration interval,
                               std::function<void()> work) {
  if (interval == absl::InfiniteDuration()) return;
  thread_ = std::jthread(
      [interval, work = std::move(work)](const std::stop_token& stop) {
        while (SleepFor(interval, stop)) work();
      });
}

TaskQueue::TaskQueue() : thread_([this] { Main(); }) {}

TaskQueue::~TaskQueue() { Stop(); }

bool TaskQueue::Post(Task task) {
  {
    const MutexLock lock(mutex_);
    if (stopping_) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
  return true;
}

void TaskQueue::Flush() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return tasks_.empty() && !running_;
  });
}

void TaskQueue::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TaskQueue::Main() {
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return stopping_ || !tasks_.empty();
    });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    running_ = true;
    lock.unlock();
    task();
    task = nullptr;  // What it holds must not die under the lock.
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace ladder::base
