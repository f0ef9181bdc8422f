#ifndef LADDER_EXPERIMENTS_SIMULATE_DENSE_LAYER_H_
#define LADDER_EXPERIMENTS_SIMULATE_DENSE_LAYER_H_

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "experiments/example/random_draws.h"

namespace ladder::trainer {

// A layer's parameters within those of its network: weights (output x input,
// row-major), then one bias per output.
template <typename Float>
struct DenseLayer {
  DenseLayer(std::span<Float> parameters, size_t inputs, size_t outputs)
      : num_inputs(inputs),
        weights(parameters.first(inputs * outputs)),
        bias(parameters.subspan(inputs * outputs, outputs)) {}

  std::span<Float> Row(size_t output) const {
    return weights.subspan(output * num_inputs, num_inputs);
  }

  size_t num_inputs;
  std::span<Float> weights;
  std::span<Float> bias;
};

constexpr size_t DenseLayerSize(size_t inputs, size_t outputs) {
  return (inputs + 1) * outputs;
}

// Appends a layer's parameters, uniform within 1 / sqrt(inputs) of zero.
inline void DrawDenseLayer(size_t inputs, size_t outputs, RandomDraws& draws,
                           std::vector<float>& parameters) {
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  for (size_t i = 0; i < DenseLayerSize(inputs, outputs); ++i) {
    parameters.push_back(static_cast<float>(bound * (2 * draws.Uniform() - 1)));
  }
}

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_DENSE_LAYER_H_
