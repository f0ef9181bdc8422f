#ifndef LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_
#define LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_

#include <torch/types.h>

#include <span>

#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// Makes of a domain's samples what a method's classifier sees, sample x
// feature.
using FeatureMap = torch::Tensor (*)(const SimulatedDomain& domain);

torch::Tensor ContentFeatures(const SimulatedDomain& domain);  // z
torch::Tensor IndexFeatures(const SimulatedDomain& domain);    // z, index
torch::Tensor JointFeatures(const SimulatedDomain& domain);    // z, style
torch::Tensor InteractionFeatures(
    const SimulatedDomain& domain);                            // z, s, s (x) z
torch::Tensor NetworkFeatures(const SimulatedDomain& domain);  // z, style, s

// The data that a classifier is trained on. Samples come last, so that sums
// over classes and features run over neighbours in memory.
struct LabelledFeatures {
  torch::Tensor features = {};  // Domain x feature x sample.
  torch::Tensor one_hot = {};   // Domain x class x sample: 1 at the label.
};

// The features of domains, one or more, that have equally many samples.
LabelledFeatures FeaturesOf(std::span<const SimulatedDomain> domains,
                            FeatureMap map);

// The classifier of z alone, kSimClasses x kSimContent, that `head` amounts to
// on `domain`, up to an offset: its part on z and, for InteractionFeatures,
// what the summary s makes of its products with z.
torch::Tensor ContentPart(const SimulatedDomain& domain, FeatureMap map,
                          const torch::Tensor& head);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_
