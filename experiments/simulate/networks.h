#ifndef LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_
#define LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/column_matrix.h"
#include "experiments/simulate/linear_fit.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// A network from NetworkFeatures to the classes: one hidden layer of 64
// rectified units. Copyable.
class PooledMlp {
 public:
  // Untrained, with parameters drawn at random.
  explicit PooledMlp(RandomDraws& draws);

  // Trains on the mean cross-entropy of all samples, by FitFullBatch.
  void Fit(std::span<const SimulatedDomain> sources);

  // sample x class.
  ColumnMatrix Logits(const ColumnMatrix& features) const;

  // The gradient of the mean cross-entropy of all samples of all parts, without
  // L2, by parameters().
  std::vector<float> Gradient(std::span<const LabelledFeatures> parts) const;

  std::span<float> parameters() { return parameters_; }

 private:
  // Writes the rectified units, sample x unit.
  void Hidden(const ColumnMatrix& features, ColumnMatrix& hidden) const;
  ColumnMatrix LogitsOf(const ColumnMatrix& hidden) const;

  std::vector<float> parameters_;
};

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

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_NETWORKS_H_
