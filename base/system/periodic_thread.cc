#include "base/system/periodic_thread.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace ladder::base {

PeriodicThread::PeriodicThread(absl::Duration interval,
                               std::function<void()> work) {
  if (interval == absl::InfiniteDuration()) return;
  // A year from now can still be added to the clock without overflow.
  const auto pause =
      absl::ToChronoNanoseconds(std::min(interval, absl::Hours(24 * 365)));
  thread_ = std::jthread(
      [pause, work = std::move(work)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any timer;
        std::unique_lock lock(mutex);
        const auto stopped = [&stop] { return stop.stop_requested(); };
        while (!timer.wait_for(lock, stop, pause, stopped)) work();
      });
}

}  // namespace ladder::base
