#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_

#include <torch/types.h>

#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/design.h"

namespace ladder::experiments {

// Samples are rows. All numbers are floats, but for the labels.
struct SimulatedDomain {
  double coordinate = 0;           // Where the domain lies; no method sees it.
  torch::Tensor content = {};      // kSimRows x kSimContent.
  torch::Tensor style = {};        // kSimRows x kSimStyle.
  torch::Tensor labels = {};       // kSimRows integers.
  torch::Tensor summary = {};      // 1 x kSimStyle.
  torch::Tensor style_index = {};  // 1 x 1: one number for the whole style.
};

// A world with a mechanism that changes with the domain: labels follow
// softmax(beta(c) z) with beta(c) = base + c shift, where c also decides the
// spread of two weak coordinates of the style, among loud ones that tell
// nothing. docs/experiments.md has the constants and where they come from.
struct SimulatedWorld {
  // The true coefficients at `coordinate`, kSimClasses x kSimContent.
  torch::Tensor Coefficients(double coordinate) const;

  torch::Tensor base = {};
  torch::Tensor shift = {};
  std::vector<SimulatedDomain> sources = {};
  std::vector<SimulatedDomain> targets = {};  // Those of kSimTargets.
};

// Draws coefficients and all samples. Styles are then shifted and scaled by
// mean and standard deviation of all sources' samples together. A domain's
// summary is the standard deviation of every coordinate of that, its index the
// mean of all values, both z-scored over the sources.
SimulatedWorld DrawWorld(RandomDraws& draws);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_
