#ifndef LADDER_BASE_SYSTEM_STEADY_TIME_H_
#define LADDER_BASE_SYSTEM_STEADY_TIME_H_

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace ladder::base {

// The time by a clock that nobody sets, for limits and durations. It counts
// from an arbitrary moment, so that only differences mean anything.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() +
         absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

// The time of day at which SteadyNow() was `steady`, by what the clock on the
// wall says now.
inline absl::Time TimeOfDay(absl::Time steady) {
  return absl::Now() - (SteadyNow() - steady);
}

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_STEADY_TIME_H_
