#include "routing/epsilon_schedule.h"

#include <algorithm>
#include <cmath>

namespace ladder::routing {

EpsilonSchedule::EpsilonSchedule(double diameter, double blur, double scaling)
    : log_diameter_(std::log(diameter)),
      log_scaling_(std::log(scaling)),
      blur_(blur) {
  const double steps = (std::log(blur) - log_diameter_) / log_scaling_;
  num_scaled_ = static_cast<size_t>(std::max(0.0, std::ceil(steps)));
}

double EpsilonSchedule::operator[](size_t step) const {
  if (step > num_scaled_) return blur_;
  const size_t exponent =
      step == 0 ? 0 : step - 1;  // The diameter comes twice.
  return std::exp(log_diameter_ + static_cast<double>(exponent) * log_scaling_);
}

double EpsilonSchedule::Phase() const {
  const double last =
      log_diameter_ + static_cast<double>(num_scaled_ - 1) * log_scaling_;
  return (std::log(blur_) - last) / log_scaling_;
}

EpsilonSchedule EpsilonSchedule::WithPhase(double phase, size_t num_scaled,
                                           double blur, double scaling) {
  EpsilonSchedule schedule;
  schedule.log_scaling_ = std::log(scaling);
  schedule.log_diameter_ =
      std::log(blur) -
      (phase + static_cast<double>(num_scaled) - 1) * schedule.log_scaling_;
  schedule.blur_ = blur;
  schedule.num_scaled_ = num_scaled;
  return schedule;
}

}  // namespace ladder::routing
