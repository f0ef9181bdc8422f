#include "experiments/simulate/routed_experts.h"

#include <memory>

#include "base/status_macros.h"
#include "experiments/simulate/features.h"
#include "experiments/simulate/linear_fit.h"
#include "routing/quantile_distance.h"

namespace ladder::experiments {
namespace {

std::vector<float> StyleRows(const SimulatedDomain& domain, size_t num_rows) {
  std::vector<float> rows;
  rows.reserve(num_rows * kSimStyle);
  for (size_t row = 0; row < num_rows; ++row) {
    for (size_t j = 0; j < kSimStyle; ++j) {
      rows.push_back(domain.style.Column(j)[row]);
    }
  }
  return rows;
}

}  // namespace

absl::StatusOr<RoutedExperts> RoutedExperts::Train(
    std::span<const SimulatedDomain> sources) {
  std::vector<float> weights;
  std::vector<std::vector<float>> styles;
  std::vector<routing::MatrixView> views;
  for (const LabelledFeatures& source : FeaturesOf(sources, ContentFeatures)) {
    const std::vector<float> head =
        FitLinear(std::span(&source, 1), LinearObjective::kErm);
    weights.insert(weights.end(), head.begin(), head.end());
  }
  for (const SimulatedDomain& source : sources) {
    styles.push_back(StyleRows(source, kSimRows));
    views.push_back({styles.back().data(), kSimRows, kSimStyle});
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
    const SimulatedDomain& target, size_t num_rows) const {
  Target measured = {.style = StyleRows(target, num_rows)};
  LADDER_ASSIGN_OR_RETURN(
      measured.distances,
      router_.Distances({measured.style.data(), num_rows, kSimStyle},
                        /*execution=*/{}));
  routing::NormalizeByLargest(measured.distances);
  return measured;
}

absl::StatusOr<std::vector<float>> RoutedExperts::Head(
    const Target& target, const routing::RoutingOptions& options) const {
  const size_t num_rows = target.style.size() / kSimStyle;
  LADDER_ASSIGN_OR_RETURN(
      const auto routing,
      router_.Decide({.style = {target.style.data(), num_rows, kSimStyle},
                      .num_seen = num_rows},
                     target.distances, options, /*execution=*/{}));
  LADDER_ASSIGN_OR_RETURN(auto head, heads_.Mix(routing.weights));
  return std::move(head.weight);
}

}  // namespace ladder::experiments
