#include "experiments/random_draws.h"

#include <cmath>
#include <numbers>

namespace ladder::experiments {

double RandomDraws::Uniform() {
  // The 53 bits that a double holds.
  return static_cast<double>(rng_.Bits(counter_++) >> 11) * 0x1p-53;
}

double RandomDraws::Normal() {
  // Box and Muller 1958. One minus a uniform is never 0, and has a logarithm.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double RandomDraws::Gamma(double shape) {
  // Marsaglia and Tsang 2000: a cubed normal, rejected now and then.
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = Normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    const double log_u = std::log(1.0 - Uniform());
    if (log_u < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double RandomDraws::Beta(double a, double b) {
  const double x = Gamma(a);
  const double y = Gamma(b);
  return x / (x + y);
}

}  // namespace ladder::experiments
