#ifndef LADDER_TESTS_EXPERIMENTS_SIMULATE_SMALL_DOMAIN_H_
#define LADDER_TESTS_EXPERIMENTS_SIMULATE_SMALL_DOMAIN_H_

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// Normal draws times `scale`.
inline torch::Tensor RandomTensor(torch::IntArrayRef sizes, double scale,
                                  RandomDraws& draws) {
  torch::Tensor values = torch::empty(sizes);
  std::generate_n(values.data_ptr<float>(), values.numel(),
                  [&] { return static_cast<float>(scale * draws.Normal()); });
  return values;
}

// A domain of a few random samples, with summaries, that is quick to look at
// from all sides.
inline SimulatedDomain SmallDomain(uint64_t seed, int64_t rows = 20) {
  RandomDraws draws(seed);
  SimulatedDomain domain = {
      .content = RandomTensor({rows, kSimContent}, 1, draws),
      .style = RandomTensor({rows, kSimStyle}, 1, draws),
      .labels = torch::empty({rows}, torch::kLong),
      .summary = RandomTensor({1, kSimStyle}, 1, draws),
      .style_index = RandomTensor({1, 1}, 1, draws)};
  std::generate_n(domain.labels.data_ptr<int64_t>(), rows, [&] {
    return static_cast<int64_t>(draws.Uniform() * kSimClasses);
  });
  return domain;
}

inline torch::Tensor RandomHead(int64_t num_features, uint64_t seed) {
  RandomDraws draws(seed);
  return RandomTensor({kSimClasses, num_features}, 0.5, draws);
}

// The values, row after row.
inline std::vector<float> ValuesOf(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
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
