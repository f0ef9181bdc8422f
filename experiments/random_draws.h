#ifndef LADDER_EXPERIMENTS_RANDOM_DRAWS_H_
#define LADDER_EXPERIMENTS_RANDOM_DRAWS_H_

#include <cstdint>

#include "routing/counter_rng.h"

namespace ladder::experiments {

// A stream of random draws. What it gives is a pure function of the seed and of
// the calls so far. Cheap to make: whatever must not depend on what was drawn
// before takes a stream of its own. Not thread-safe.
class RandomDraws {
 public:
  explicit RandomDraws(uint64_t seed) : rng_(seed) {}

  double Uniform();  // Draws from [0, 1).
  double Normal();   // Has mean 0 and variance 1.

  // Has mean and variance `shape`, which must be at least 1.
  double Gamma(double shape);

  // Lies in [0, 1] with mean a / (a + b); both must be at least 1.
  double Beta(double a, double b);

 private:
  routing::CounterRng rng_;
  uint64_t counter_ = 0;
};

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_RANDOM_DRAWS_H_
