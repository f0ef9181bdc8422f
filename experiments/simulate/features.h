#ifndef LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_
#define LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {

// What a linear classifier is trained or tested on.
struct LabelledFeatures {
  ColumnMatrix features = {};
  std::span<const uint8_t> labels = {};  // The domain's own.
};

// What a method makes of a domain's samples before its linear classifier.
using FeatureMap = ColumnMatrix (*)(const SimulatedDomain& domain);

ColumnMatrix ContentFeatures(const SimulatedDomain& domain);  // z
ColumnMatrix IndexFeatures(const SimulatedDomain& domain);    // z, index
ColumnMatrix JointFeatures(const SimulatedDomain& domain);    // z, style
ColumnMatrix InteractionFeatures(
    const SimulatedDomain& domain);                           // z, s, s (x) z
ColumnMatrix NetworkFeatures(const SimulatedDomain& domain);  // z, style, s

std::vector<LabelledFeatures> FeaturesOf(
    std::span<const SimulatedDomain> domains, FeatureMap map);

// The classifier of z alone, kSimClasses x kSimContent, that `head` amounts to
// on `domain`, up to an offset: its part on z and, for InteractionFeatures,
// what the summary s makes of its products with z.
std::vector<float> ContentPart(const SimulatedDomain& domain, FeatureMap map,
                               std::span<const float> head);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_FEATURES_H_
