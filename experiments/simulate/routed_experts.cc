#include "experiments/simulate/routed_experts.h"

#include <memory>

#include "base/status_macros.h"
#include "experiments/simulate/linear_fit.h"
#include "routing/quantile_distance.h"

namespace ladder::experiments {
namespace {

// The samples of a style, which lie one after the other in memory.
routing::MatrixView ViewOf(const torch::Tensor& style) {
  return {style.data_ptr<float>(), static_cast<size_t>(style.size(0)),
          kSimStyle};
}

}  // namespace

absl::StatusOr<RoutedExperts> RoutedExperts::Train(
    std::span<const SimulatedDomain> sources) {
  std::vector<float> weights;
  std::vector<routing::MatrixView> views;
  for (const SimulatedDomain& source : sources) {
    const torch::Tensor head =
        FitLinear(FeaturesOf(std::span(&source, 1), ContentFeatures),
                  LinearObjective::kErm);
    weights.insert(weights.end(), head.data_ptr<float>(),
                   head.data_ptr<float>() + head.numel());
    views.push_back(ViewOf(source.style));
  }
  LADDER_ASSIGN_OR_RETURN(
      auto heads,
      routing::LinearHeads::Create(
          sources.size(), kSimClasses, kSimContent, std::move(weights),
          std::vector<float>(sources.size() * kSimClasses, 0)));
  LADDER_ASSIGN_OR_RETURN(auto distance,
                          routing::QuantileDistance::Create(views));
  LADDER_ASSIGN_OR_RETURN(
      auto router,
      routing::Router::Create(std::make_shared<const routing::QuantileDistance>(
          std::move(distance))));
  return RoutedExperts(std::move(router), std::move(heads));
}

absl::StatusOr<RoutedExperts::Target> RoutedExperts::Measure(
    const SimulatedDomain& target, int64_t num_rows) const {
  Target measured = {.style = target.style.narrow(0, 0, num_rows)};
  LADDER_ASSIGN_OR_RETURN(
      measured.distances,
      router_.Distances(ViewOf(measured.style), /*execution=*/{}));
  routing::NormalizeByLargest(measured.distances);
  return measured;
}

absl::StatusOr<torch::Tensor> RoutedExperts::Head(
    const Target& target, const routing::RoutingOptions& options) const {
  const routing::MatrixView style = ViewOf(target.style);
  LADDER_ASSIGN_OR_RETURN(
      const auto routing,
      router_.Decide({.style = style, .num_seen = style.rows}, target.distances,
                     options, /*execution=*/{}));
  LADDER_ASSIGN_OR_RETURN(const auto head, heads_.Mix(routing.weights));
  return torch::tensor(head.weight).view({kSimClasses, kSimContent});
}

}  // namespace ladder::experiments
