#ifndef LADDER_BASE_SYSTEM_MUTEX_H_
#define LADDER_BASE_SYSTEM_MUTEX_H_

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace ladder::base {

// A std::mutex that clang's thread-safety analysis knows, so that `scripts/test
// --all` checks what ABSL_GUARDED_BY says. Waits on it take a
// std::condition_variable_any and a MutexLock. Abseil's own mutex would do, if
// ThreadSanitizer could see into the library that the system ships.
class ABSL_LOCKABLE Mutex {
 public:
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a mutex while it lives, but between unlock() and lock().
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : lock_(mutex) {}
  ~MutexLock() ABSL_UNLOCK_FUNCTION() = default;

  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { lock_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { lock_.unlock(); }

 private:
  std::unique_lock<Mutex> lock_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_MUTEX_H_
