#include "client/command/load/arrival_schedule.h"

#include <cmath>

namespace ladder::command {

absl::Duration ArrivalSchedule::Next() {
  // Uniform in (0, 1]: the logarithm is finite.
  const double uniform =
      (static_cast<double>(rng_.Bits(counter_++) >> 11) + 1) * 0x1p-53;
  seconds_ -= std::log(uniform) / rate_;
  return absl::Seconds(seconds_);
}

}  // namespace ladder::command
