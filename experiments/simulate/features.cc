#include "experiments/simulate/features.h"

#include <cstddef>

namespace ladder::experiments {

ColumnMatrix ContentFeatures(const SimulatedDomain& domain) {
  return domain.content;
}

ColumnMatrix IndexFeatures(const SimulatedDomain& domain) {
  ColumnMatrix features = domain.content;
  features.Append(domain.style_index);
  return features;
}

ColumnMatrix JointFeatures(const SimulatedDomain& domain) {
  ColumnMatrix features = domain.content;
  features.Append(domain.style);
  return features;
}

ColumnMatrix InteractionFeatures(const SimulatedDomain& domain) {
  ColumnMatrix features = domain.content;
  for (const float s : domain.summary) features.Append(s);
  for (const float s : domain.summary) {
    ColumnMatrix products = domain.content;
    for (float& value : products.values) value *= s;
    features.Append(products);
  }
  return features;
}

ColumnMatrix NetworkFeatures(const SimulatedDomain& domain) {
  ColumnMatrix features = JointFeatures(domain);
  for (const float s : domain.summary) features.Append(s);
  return features;
}

std::vector<LabelledFeatures> FeaturesOf(
    std::span<const SimulatedDomain> domains, FeatureMap map) {
  std::vector<LabelledFeatures> features;
  for (const SimulatedDomain& domain : domains) {
    features.push_back({.features = map(domain), .labels = domain.labels});
  }
  return features;
}

std::vector<float> ContentPart(const SimulatedDomain& domain, FeatureMap map,
                               std::span<const float> head) {
  const size_t num_features = head.size() / kSimClasses;
  std::vector<float> part;
  for (size_t k = 0; k < kSimClasses; ++k) {
    const auto row = head.subspan(k * num_features, num_features);
    for (size_t j = 0; j < kSimContent; ++j) {
      float value = row[j];
      if (map == InteractionFeatures) {
        for (size_t s = 0; s < kSimStyle; ++s) {
          value += domain.summary[s] *
                   row[kSimContent + kSimStyle + s * kSimContent + j];
        }
      }
      part.push_back(value);
    }
  }
  return part;
}

}  // namespace ladder::experiments
