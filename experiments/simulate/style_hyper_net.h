#ifndef LADDER_EXPERIMENTS_SIMULATE_STYLE_HYPER_NET_H_
#define LADDER_EXPERIMENTS_SIMULATE_STYLE_HYPER_NET_H_

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/example/random_draws.h"
#include "experiments/simulate/linear_risk.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {

// A network from a domain's style summary to the domain's linear classifier:
// one hidden layer of 32 rectified units. Copyable.
class StyleHyperNet {
 public:
  // Untrained, with parameters drawn at random.
  explicit StyleHyperNet(RandomDraws& draws);

  // Trains on the mean risk of the sources' classifiers, by FitFullBatch.
  void Fit(std::span<const SimulatedDomain> sources);

  // kSimClasses x kSimContent, row-major.
  std::vector<float> HeadFor(std::span<const float> summary) const;

  // The gradient of the mean risk, without L2, by parameters().
  std::vector<float> Gradient(std::span<const SimulatedDomain> sources,
                              std::span<const LabelledFeatures> features) const;

  std::span<float> parameters() { return parameters_; }

 private:
  std::vector<float> Hidden(std::span<const float> summary) const;

  std::vector<float> parameters_;
};

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_STYLE_HYPER_NET_H_
