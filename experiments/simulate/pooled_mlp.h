#ifndef LADDER_EXPERIMENTS_SIMULATE_POOLED_MLP_H_
#define LADDER_EXPERIMENTS_SIMULATE_POOLED_MLP_H_

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/example/random_draws.h"
#include "experiments/simulate/column_matrix.h"
#include "experiments/simulate/linear_risk.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {

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

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_POOLED_MLP_H_
