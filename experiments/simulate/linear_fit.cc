#include "experiments/simulate/linear_fit.h"

#include <torch/optim/adam.h>

#include <limits>
#include <vector>

namespace ladder::experiments {
namespace {

// One row of numbers for every sample of the domain.
torch::Tensor ForEachSample(const SimulatedDomain& domain,
                            const torch::Tensor& row) {
  return row.expand({domain.content.size(0), -1});
}

constexpr int kSteps = 150;
constexpr double kLearningRate = 1e-2;
constexpr double kIrmWeight = 30;
constexpr double kEqrmQuantile = 0.75;

// Domain x class x sample.
torch::Tensor LinearLogits(const LabelledFeatures& domains,
                           const torch::Tensor& head) {
  return head.expand({domains.features.size(0), -1, -1}).bmm(domains.features);
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

Scores ScoresOf(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor shares = logits.softmax(-1).to(torch::kDouble);
  const torch::Tensor misses = shares - torch::one_hot(labels, logits.size(-1));
  return {
      100 *
          shares.argmax(-1).eq(labels).to(torch::kDouble).mean().item<double>(),
      misses.square().sum(-1).mean().item<double>(),
      std::numeric_limits<double>::quiet_NaN()};
}

double ParameterError(const torch::Tensor& found, const torch::Tensor& truth) {
  return (found - truth).to(torch::kDouble).norm().item<double>();
}

torch::Tensor CrossEntropies(const torch::Tensor& logits,
                             const torch::Tensor& one_hot) {
  return logits.logsumexp(-2) - (logits * one_hot).sum(-2);
}

torch::Tensor Risks(const LabelledFeatures& domains,
                    const torch::Tensor& head) {
  return CrossEntropies(LinearLogits(domains, head), domains.one_hot).mean(-1);
}

torch::Tensor ScaleSlopes(const LabelledFeatures& domains,
                          const torch::Tensor& head) {
  // With p = softmax(l), one sample adds sum_k (p_k - y_k) l_k to the slope.
  const torch::Tensor logits = LinearLogits(domains, head);
  return ((logits.softmax(-2) - domains.one_hot) * logits).sum(-2).mean(-1);
}

void FitFullBatch(double l2, absl::FunctionRef<torch::Tensor()> loss,
                  const std::vector<torch::Tensor>& parameters) {
  for (torch::Tensor parameter : parameters) parameter.requires_grad_(true);
  torch::optim::Adam adam(
      parameters, torch::optim::AdamOptions(kLearningRate).weight_decay(l2));
  for (int step = 0; step < kSteps; ++step) {
    adam.zero_grad();
    loss().backward();
    adam.step();
  }
  for (torch::Tensor parameter : parameters) parameter.requires_grad_(false);
}

torch::Tensor ObjectiveOf(const LabelledFeatures& sources,
                          LinearObjective objective,
                          const torch::Tensor& head) {
  const torch::Tensor risks = Risks(sources, head);
  switch (objective) {
    case LinearObjective::kErm:
      break;
    case LinearObjective::kIrm:
      return risks.mean() +
             kIrmWeight * ScaleSlopes(sources, head).square().mean();
    case LinearObjective::kEqrm:
      return risks.quantile(kEqrmQuantile);
    case LinearObjective::kRdm:
      return risks.mean() + risks.var(/*unbiased=*/false);
  }
  return risks.mean();
}

torch::Tensor FitLinear(const LabelledFeatures& sources,
                        LinearObjective objective) {
  const torch::Tensor head =
      torch::zeros({kSimClasses, sources.features.size(1)});
  FitFullBatch(kLinearL2, [&] { return ObjectiveOf(sources, objective, head); },
               {head});
  return head;
}

}  // namespace ladder::experiments
