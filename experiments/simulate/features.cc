#include "experiments/simulate/features.h"

#include <vector>

namespace ladder::experiments {
namespace {

// One row of numbers for every sample of the domain.
torch::Tensor ForEachSample(const SimulatedDomain& domain,
                            const torch::Tensor& row) {
  return row.expand({domain.content.size(0), -1});
}

}  // namespace

torch::Tensor ContentFeatures(const SimulatedDomain& domain) {
  return domain.content;
}

torch::Tensor IndexFeatures(const SimulatedDomain& domain) {
  return torch::cat({domain.content, ForEachSample(domain, domain.style_index)},
                    1);
}

torch::Tensor JointFeatures(const SimulatedDomain& domain) {
  return torch::cat({domain.content, domain.style}, 1);
}

torch::Tensor InteractionFeatures(const SimulatedDomain& domain) {
  const torch::Tensor products =
      domain.summary.t() * domain.content.unsqueeze(1);
  return torch::cat({domain.content, ForEachSample(domain, domain.summary),
                     products.flatten(1)},
                    1);
}

torch::Tensor NetworkFeatures(const SimulatedDomain& domain) {
  return torch::cat(
      {domain.content, domain.style, ForEachSample(domain, domain.summary)}, 1);
}

LabelledFeatures FeaturesOf(std::span<const SimulatedDomain> domains,
                            FeatureMap map) {
  std::vector<torch::Tensor> features;
  std::vector<torch::Tensor> one_hot;
  for (const SimulatedDomain& domain : domains) {
    features.push_back(map(domain).t());
    one_hot.push_back(
        torch::one_hot(domain.labels, kSimClasses).t().to(torch::kFloat));
  }
  return {.features = torch::stack(features), .one_hot = torch::stack(one_hot)};
}

torch::Tensor ContentPart(const SimulatedDomain& domain, FeatureMap map,
                          const torch::Tensor& head) {
  const torch::Tensor part = head.narrow(1, 0, kSimContent);
  if (map != InteractionFeatures) return part;
  const torch::Tensor products =
      head.narrow(1, kSimContent + kSimStyle, kSimStyle * kSimContent);
  return part + (domain.summary.t() *
                 products.reshape({kSimClasses, kSimStyle, kSimContent}))
                    .sum(1);
}

}  // namespace ladder::experiments
