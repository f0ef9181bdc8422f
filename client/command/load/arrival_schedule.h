#ifndef LADDER_CLIENT_COMMAND_LOAD_ARRIVAL_SCHEDULE_H_
#define LADDER_CLIENT_COMMAND_LOAD_ARRIVAL_SCHEDULE_H_

#include <cstdint>

#include "absl/time/time.h"
#include "routing/counter_rng.h"

namespace ladder::command {

// When requests of many independent callers arrive: a Poisson process, the same
// for the same seed. Not thread-safe.
class ArrivalSchedule {
 public:
  // `rate` is in requests per second, and positive.
  ArrivalSchedule(double rate, uint64_t seed) : rate_(rate), rng_(seed) {}

  // Since the start; never before the one returned last.
  absl::Duration Next();

 private:
  const double rate_;
  const routing::CounterRng rng_;
  uint64_t counter_ = 0;
  double seconds_ = 0;
};

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_LOAD_ARRIVAL_SCHEDULE_H_
