#ifndef LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_
#define LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// A network with one hidden layer of rectified units.
class TwoLayers {
 public:
  // Every layer's parameters are uniform within 1 / sqrt(inputs) of zero.
  TwoLayers(int64_t inputs, int64_t hidden, int64_t outputs,
            RandomDraws& draws);

  // [inputs, n] to [outputs, n].
  torch::Tensor Forward(const torch::Tensor& x) const;

  // Each layer's weights (output x input) and bias.
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

 private:
  std::vector<torch::Tensor> parameters_;
};

// A network from NetworkFeatures to the classes, with 64 hidden units.
class PooledMlp {
 public:
  // Untrained, with parameters drawn at random.
  explicit PooledMlp(RandomDraws& draws);

  // Trains on the mean cross-entropy of all samples, by FitFullBatch.
  void Fit(std::span<const SimulatedDomain> sources);

  // Feature x sample to class x sample.
  torch::Tensor Logits(const torch::Tensor& features) const {
    return layers_.Forward(features);
  }

 private:
  TwoLayers layers_;
};

// A network from a domain's style summary to the domain's linear classifier,
// with 32 hidden units.
class StyleHyperNet {
 public:
  // Untrained, with parameters drawn at random.
  explicit StyleHyperNet(RandomDraws& draws);

  // Trains on the mean risk of the sources' classifiers, by FitFullBatch.
  void Fit(std::span<const SimulatedDomain> sources);

  // `summaries` is domain x kSimStyle; domain x kSimClasses x kSimContent.
  torch::Tensor HeadsFor(const torch::Tensor& summaries) const;

 private:
  TwoLayers layers_;
};

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_
