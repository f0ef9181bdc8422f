#ifndef LADDER_EXPERIMENTS_SIMULATE_ROUTED_EXPERTS_H_
#define LADDER_EXPERIMENTS_SIMULATE_ROUTED_EXPERTS_H_

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "experiments/simulate/simulated_world.h"
#include "routing/linear_heads.h"
#include "routing/router.h"

namespace ladder::experiments {

// One linear classifier per source, mixed for a target by the routing core as
// the server does it, with the simulation's quantile distance.
//
// Immutable and thread-safe.
class RoutedExperts {
 public:
  // Trains the sources' classifiers, each on its own. Errors of the core, which
  // samples that are finite do not cause.
  static absl::StatusOr<RoutedExperts> Train(
      std::span<const SimulatedDomain> sources);

  // A target as routing sees it.
  struct Target {
    torch::Tensor style = {};            // Sample x kSimStyle.
    std::vector<double> distances = {};  // One per source.
  };

  // Measures the first `num_rows` samples of `target`, 1 to kSimRows. The
  // distances are divided by the largest.
  absl::StatusOr<Target> Measure(const SimulatedDomain& target,
                                 int64_t num_rows) const;

  // The mixed classifier, kSimClasses x kSimContent. Errors as Router::Decide.
  absl::StatusOr<torch::Tensor> Head(
      const Target& target, const routing::RoutingOptions& options) const;

 private:
  RoutedExperts(routing::Router router, routing::LinearHeads heads)
      : router_(std::move(router)), heads_(std::move(heads)) {}

  routing::Router router_;
  routing::LinearHeads heads_;
};

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_ROUTED_EXPERTS_H_
