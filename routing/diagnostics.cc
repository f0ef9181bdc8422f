#include "routing/diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/counter_rng.h"
#include "routing/gather_rows.h"
#include "routing/weights.h"

namespace ladder::routing {
namespace {

constexpr size_t kMinRows = 4;

// The sources to measure again, with the group's own weights on them.
struct Candidates {
  std::vector<size_t> sources;  // Ascending, so that ties fall as they did.
  std::vector<double> weights;
  size_t k;
};

absl::StatusOr<Candidates> ChooseCandidates(const RoutedSample& sample) {
  LADDER_ASSIGN_OR_RETURN(
      const auto weights,
      SoftmaxWeights(sample.distances, sample.k, sample.tau));
  const size_t num_sources = sample.sources.size();
  const size_t k = std::min(sample.k, num_sources);
  std::vector<size_t> nearest = NearestSources(sample.distances, 2 * k);
  std::sort(nearest.begin(), nearest.end());
  Candidates candidates{.sources = {}, .weights = {}, .k = k};
  for (const size_t i : nearest) {
    candidates.sources.push_back(sample.sources[i]);
    candidates.weights.push_back(weights[i]);
  }
  return candidates;
}

using Halves = std::array<std::vector<size_t>, 2>;

// Two disjoint random sets of `half_rows` of the row indices [0, num_rows).
Halves DrawHalves(size_t num_rows, size_t half_rows, const CounterRng& rng,
                  size_t pair) {
  const std::vector<size_t> drawn =
      SampleIndices(num_rows, 2 * half_rows, rng.Bits(2 * pair));
  const std::vector<size_t> first =
      SampleIndices(drawn.size(), half_rows, rng.Bits(2 * pair + 1));
  Halves halves;
  auto next = first.begin();
  for (size_t i = 0; i < drawn.size(); ++i) {
    const bool in_first = next != first.end() && *next == i;
    if (in_first) ++next;
    halves[in_first ? 0 : 1].push_back(drawn[i]);
  }
  return halves;
}

double TotalVariation(std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return sum / 2;
}

}  // namespace

absl::Status StabilityOptions::Validate() const {
  if (num_pairs == 0) {
    return absl::InvalidArgumentError("num_pairs must be positive, got 0");
  }
  if (max_half_rows == 0) {
    return absl::InvalidArgumentError("max_half_rows must be positive, got 0");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<WeightStability>> AssessStability(
    const StyleDistance& distance, const RoutedSample& sample,
    const StabilityOptions& options, const Execution& execution) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  if (sample.sources.size() != sample.distances.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the distances of ", sample.sources.size(),
                     " sources, got ", sample.distances.size()));
  }
  LADDER_ASSIGN_OR_RETURN(const auto candidates, ChooseCandidates(sample));
  const size_t num_rows = sample.style.rows;
  if (num_rows < kMinRows) return std::nullopt;

  const CounterRng rng(options.seed);
  const size_t half_rows = std::min(num_rows / 2, options.max_half_rows);
  WeightStability stability{.half_rows = half_rows};
  std::vector<double> distances(candidates.sources.size());
  for (size_t pair = 0; pair < options.num_pairs; ++pair) {
    for (const auto& half : DrawHalves(num_rows, half_rows, rng, pair)) {
      const std::vector<float> rows = GatherRows(sample.style, half);
      LADDER_RETURN_IF_ERROR(
          distance.Compute({rows.data(), half_rows, sample.style.cols},
                           candidates.sources, distances, execution));
      LADDER_ASSIGN_OR_RETURN(
          const auto weights,
          SoftmaxWeights(distances, candidates.k, sample.tau));
      const double spread = TotalVariation(weights, candidates.weights);
      stability.mean_total_variation += spread;
      stability.max_total_variation =
          std::max(stability.max_total_variation, spread);
    }
  }
  stability.mean_total_variation /= 2 * static_cast<double>(options.num_pairs);
  return stability;
}

}  // namespace ladder::routing
