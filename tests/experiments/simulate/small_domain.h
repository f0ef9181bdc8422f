#ifndef LADDER_TESTS_EXPERIMENTS_SIMULATE_SMALL_DOMAIN_H_
#define LADDER_TESTS_EXPERIMENTS_SIMULATE_SMALL_DOMAIN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// A domain of a few random samples, with summaries, that is quick to look at
// from all sides.
inline SimulatedDomain SmallDomain(uint64_t seed, size_t rows = 20) {
  RandomDraws draws(seed);
  SimulatedDomain domain = {.content = ColumnMatrix(rows, kSimContent),
                            .style = ColumnMatrix(rows, kSimStyle)};
  const auto fill = [&](std::vector<float>& values) {
    for (float& value : values) value = static_cast<float>(draws.Normal());
  };
  fill(domain.content.values);
  fill(domain.style.values);
  domain.summary.resize(kSimStyle);
  fill(domain.summary);
  domain.style_index = static_cast<float>(draws.Normal());
  for (size_t row = 0; row < rows; ++row) {
    domain.labels.push_back(
        static_cast<uint8_t>(draws.Uniform() * kSimClasses));
  }
  return domain;
}

inline std::vector<float> RandomParameters(size_t count, uint64_t seed) {
  RandomDraws draws(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(0.5 * draws.Normal());
  return values;
}

// The slope of `function` in parameter `i`, from a central difference.
inline double DifferenceSlope(
    const std::function<double(std::span<const float>)>& function,
    std::span<const float> parameters, size_t i) {
  constexpr float kStep = 5e-3F;
  std::vector<float> moved(parameters.begin(), parameters.end());
  moved[i] = parameters[i] + kStep;
  const float above = moved[i];
  const double value_above = function(moved);
  moved[i] = parameters[i] - kStep;
  // What was really added, after rounding.
  const auto distance = static_cast<double>(above - moved[i]);
  return (value_above - function(moved)) / distance;
}

}  // namespace ladder::experiments

#endif  // LADDER_TESTS_EXPERIMENTS_SIMULATE_SMALL_DOMAIN_H_
