#include "server/groups/expert_disagreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "routing/linear_heads.h"

namespace ladder::server {
namespace {

constexpr size_t kMostExperts = 16;

struct Expert {
  double weight = 0;
  std::vector<float> probabilities = {};
};

// Sources with weight, the heaviest first.
std::vector<size_t> Heaviest(std::span<const double> weights) {
  std::vector<size_t> sources(weights.size());
  std::iota(sources.begin(), sources.end(), size_t{0});
  std::erase_if(sources, [&](size_t s) { return weights[s] <= 0; });
  std::stable_sort(sources.begin(), sources.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  sources.resize(std::min(sources.size(), kMostExperts));
  return sources;
}

}  // namespace

absl::StatusOr<std::vector<float>> ExpertProbabilities(
    const model_store::Model& model, size_t source,
    const model_store::Tensor& z_c, const std::stop_token& stop) {
  std::vector<float> weights(model.manifest().num_sources());
  weights[source] = 1;
  const absl::StatusOr<model_store::Tensor> logits =
      model.Logits(z_c, {weights.data(), 1, weights.size()}, stop);
  if (!logits.ok()) return logits.status();
  std::vector<float> probabilities(logits->rows() * logits->cols());
  absl::Status status = routing::SoftmaxRows(logits->view(), probabilities);
  if (!status.ok()) return status;
  return probabilities;
}

absl::StatusOr<double> ExpertDisagreement(const model_store::Model& model,
                                          std::span<const double> weights,
                                          const model_store::Tensor& z_c,
                                          const std::stop_token& stop) {
  std::vector<Expert> experts;
  double total = 0;
  for (const size_t source : Heaviest(weights)) {
    absl::StatusOr<std::vector<float>> probabilities =
        ExpertProbabilities(model, source, z_c, stop);
    if (!probabilities.ok()) return probabilities.status();
    experts.push_back({weights[source], *std::move(probabilities)});
    total += weights[source];
  }
  if (experts.empty()) return 0;
  double sum = 0;
  for (size_t i = 0; i < experts.front().probabilities.size(); ++i) {
    double mean = 0;
    for (const Expert& expert : experts) {
      mean += expert.weight / total * expert.probabilities[i];
    }
    for (const Expert& expert : experts) {
      sum += expert.weight / total * std::abs(expert.probabilities[i] - mean);
    }
  }
  // Total variation is half of the absolute differences.
  return sum / 2 / static_cast<double>(z_c.rows());
}

}  // namespace ladder::server
