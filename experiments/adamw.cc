#include "experiments/adamw.h"

#include <cmath>

namespace ladder::experiments {

AdamW::AdamW(size_t num_parameters, const AdamWOptions& options)
    : options_(options),
      first_moments_(num_parameters),
      second_moments_(num_parameters) {}

void AdamW::Step(std::span<const float> gradient, std::span<float> parameters) {
  ++num_steps_;
  const auto& [rate, decay, beta1, beta2, epsilon] = options_;
  // The moments start at zero; these make up for it.
  const double first_scale = 1 / (1 - std::pow(beta1, num_steps_));
  const double second_scale = 1 / (1 - std::pow(beta2, num_steps_));
  for (size_t i = 0; i < parameters.size(); ++i) {
    const double slope = gradient[i];
    first_moments_[i] = beta1 * first_moments_[i] + (1 - beta1) * slope;
    second_moments_[i] =
        beta2 * second_moments_[i] + (1 - beta2) * slope * slope;
    const double step =
        first_moments_[i] * first_scale /
        (std::sqrt(second_moments_[i] * second_scale) + epsilon);
    parameters[i] =
        static_cast<float>(parameters[i] * (1 - rate * decay) - rate * step);
  }
}

}  // namespace ladder::experiments
