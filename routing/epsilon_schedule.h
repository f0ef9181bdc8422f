#ifndef LADDER_ROUTING_EPSILON_SCHEDULE_H_
#define LADDER_ROUTING_EPSILON_SCHEDULE_H_

#include <cstddef>

namespace ladder::routing {

// The falling temperatures of one Sinkhorn run, a part of the distance's
// definition because the run is not carried to convergence: the diameter, then
// the diameter times 1, s, s^2, ... while above the blur, then the blur. A
// diameter at or below the blur gives {diameter, blur}.
//
// A value type: the steps are computed, not stored.
class EpsilonSchedule {
 public:
  // Expects diameter > 0, blur > 0 and 0 < scaling < 1.
  EpsilonSchedule(double diameter, double blur, double scaling);

  size_t size() const { return num_scaled_ + 2; }
  double operator[](size_t step) const;

  // The number of steps between the first and the last.
  size_t num_scaled_steps() const { return num_scaled_; }

  // The place of the last scaled step between the blur (0, excluded) and
  // blur / scaling (1), on a logarithmic scale. Expects num_scaled_steps() > 0.
  double Phase() const;

  // The schedule with `num_scaled` scaled steps whose last has this phase.
  static EpsilonSchedule WithPhase(double phase, size_t num_scaled, double blur,
                                   double scaling);

 private:
  EpsilonSchedule() = default;

  double log_diameter_ = 0;
  double log_scaling_ = 0;
  double blur_ = 0;
  size_t num_scaled_ = 0;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_EPSILON_SCHEDULE_H_
