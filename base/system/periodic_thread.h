#ifndef LADDER_BASE_SYSTEM_PERIODIC_THREAD_H_
#define LADDER_BASE_SYSTEM_PERIODIC_THREAD_H_

#include <functional>
#include <thread>

#include "absl/time/time.h"

namespace ladder::base {

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

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_PERIODIC_THREAD_H_
