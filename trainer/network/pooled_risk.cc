#include "trainer/network/pooled_risk.h"

#include <torch/nn/functional/loss.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ladder::trainer {
namespace {

struct DomainRisks {
  // One loss for each sample.
  torch::Tensor losses;
  // d loss / d s at s = 1, where s multiplies all logits.
  torch::Tensor slopes;
  // Which samples are each domain's own, [D, n]. Rows sum to one, so that a
  // product with it takes the domains' means.
  torch::Tensor shares;
};

DomainRisks ComputeRisks(const torch::Tensor& logits,
                         const torch::Tensor& labels,
                         const torch::Tensor& domains,
                         const torch::Tensor& class_weights) {
  DomainRisks risks;
  risks.losses = torch::nn::functional::cross_entropy(
      logits, labels,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  const torch::Tensor label_logits =
      logits.gather(1, labels.unsqueeze(1)).squeeze(1);
  risks.slopes = (logits.softmax(1) * logits).sum(1) - label_logits;
  if (class_weights.defined()) {
    const torch::Tensor weights = class_weights.index_select(0, labels);
    risks.losses = risks.losses * weights;
    risks.slopes = risks.slopes * weights;
  }
  const torch::Tensor present = std::get<0>(at::_unique(domains));
  const torch::Tensor members =
      present.unsqueeze(1).eq(domains.unsqueeze(0)).to(logits.dtype());
  risks.shares = members / members.sum(1, /*keepdim=*/true);
  return risks;
}

// The squared slope of every domain's risk, without the variance of a small
// batch in it: the product of the slopes of two halves of its samples. The
// square of their common slope would reward logits that say nothing.
torch::Tensor SquaredSlopes(const DomainRisks& risks) {
  const torch::Tensor members = risks.shares.gt(0).to(risks.slopes.dtype());
  const torch::Tensor odd = members.cumsum(1).fmod(2) * members;
  const auto slope = [&](const torch::Tensor& half) {
    return half.matmul(risks.slopes) / half.sum(1).clamp_min(1);
  };
  return slope(odd) * slope(members - odd);
}

// The largest distance of a domain's losses from those of the whole batch.
torch::Tensor WorstDiscrepancy(const DomainRisks& risks,
                               const torch::Tensor& means) {
  const torch::Tensor worst =
      risks.shares.index_select(0, means.detach().argmax().reshape({1}));
  const torch::Tensor members = worst.squeeze(0).nonzero().squeeze(1);
  return SquaredDiscrepancy(risks.losses.index_select(0, members),
                            risks.losses);
}

}  // namespace

absl::StatusOr<std::vector<double>> EffectiveNumberWeights(
    std::span<const int64_t> class_counts, double beta) {
  if (!(beta >= 0 && beta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("beta: expected at least 0 and less than 1, got ", beta));
  }
  std::vector<double> weights;
  for (const int64_t count : class_counts) {
    if (count < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("count of class ", weights.size(),
                       ": expected at least 0, got ", count));
    }
    // expm1 because beta^n is close to 1 where beta is.
    weights.push_back(count == 0 ? 0
                                 : (1 - beta) /
                                       -std::expm1(static_cast<double>(count) *
                                                   std::log(beta)));
  }
  return weights;
}

torch::Tensor ClassBalancedCrossEntropy(const torch::Tensor& logits,
                                        const torch::Tensor& labels,
                                        const torch::Tensor& class_weights) {
  const torch::Tensor losses = torch::nn::functional::cross_entropy(
      logits, labels,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  return (class_weights.index_select(0, labels) * losses).mean();
}

DomainIndex::DomainIndex(int64_t num_sources, int64_t num_classes)
    : index_(register_parameter("index", torch::linspace(-1, 1, num_sources))),
      direction_(register_parameter("direction", torch::zeros({num_classes}))) {
}

torch::Tensor DomainIndex::Offsets() const {
  return index_.unsqueeze(1) * direction_.unsqueeze(0);
}

torch::Tensor SquaredDiscrepancy(const torch::Tensor& a,
                                 const torch::Tensor& b) {
  constexpr double kGammas[] = {0.01, 0.1, 1, 10};
  const auto mean_kernel = [&](const torch::Tensor& x, const torch::Tensor& y) {
    const torch::Tensor squares = (x.unsqueeze(1) - y.unsqueeze(0)).square();
    torch::Tensor sum = torch::zeros({}, x.options());
    for (const double gamma : kGammas) {
      sum = sum + (-gamma * squares).exp().mean();
    }
    return sum;
  };
  return mean_kernel(a, a) + mean_kernel(b, b) - 2 * mean_kernel(a, b);
}

torch::Tensor PooledRisk(const torch::Tensor& logits,
                         const torch::Tensor& labels,
                         const torch::Tensor& domains,
                         const torch::Tensor& class_weights,
                         const PooledOptions& options, int64_t step) {
  const DomainRisks risks =
      ComputeRisks(logits, labels, domains, class_weights);
  const torch::Tensor means = risks.shares.matmul(risks.losses);
  const bool warming_up = step < options.warmup_steps;
  switch (options.method) {
    case PooledMethod::kErm:
      break;
    case PooledMethod::kIrm: {
      const double weight = warming_up ? 1 : options.irm_weight;
      const torch::Tensor penalty = SquaredSlopes(risks).mean();
      // Scaled back, so that a large weight does not mean larger steps.
      return (means.mean() + weight * penalty) / std::max(weight, 1.0);
    }
    case PooledMethod::kEqrm:
      return torch::quantile(means, options.eqrm_quantile);
    case PooledMethod::kRdm:
      if (warming_up) break;
      return means.mean() + options.rdm_weight * WorstDiscrepancy(risks, means);
  }
  return means.mean();
}

}  // namespace ladder::trainer
