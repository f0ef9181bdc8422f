#include "routing/diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
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

HalfSamples::HalfSamples(const MatrixView& style,
                         const StabilityOptions& options)
    : style_(style) {
  if (style.rows < kMinRows) return;
  half_rows_ = std::min(style.rows / 2, options.max_half_rows);
  const CounterRng rng(options.seed);
  for (size_t pair = 0; pair < options.num_pairs; ++pair) {
    for (auto& rows : DrawHalves(style.rows, half_rows_, rng, pair)) {
      halves_.push_back({.rows = std::move(rows), .distances = {}});
    }
  }
}

absl::StatusOr<std::vector<double>> HalfSamples::Distances(
    const StyleDistance& distance, size_t half, std::span<const size_t> sources,
    const Execution& execution) {
  std::vector<double>& known = halves_[half].distances;
  known.resize(distance.num_sources(),
               std::numeric_limits<double>::quiet_NaN());
  std::vector<size_t> missing;
  std::copy_if(sources.begin(), sources.end(), std::back_inserter(missing),
               [&](size_t source) { return std::isnan(known[source]); });
  if (!missing.empty()) {
    const std::vector<float> rows = GatherRows(style_, halves_[half].rows);
    std::vector<double> measured(missing.size());
    LADDER_RETURN_IF_ERROR(distance.Compute(
        {rows.data(), half_rows_, style_.cols}, missing, measured, execution));
    for (size_t i = 0; i < missing.size(); ++i) known[missing[i]] = measured[i];
  }
  std::vector<double> distances;
  for (const size_t source : sources) distances.push_back(known[source]);
  return distances;
}

absl::StatusOr<std::optional<WeightStability>> AssessStability(
    const StyleDistance& distance, const RoutedSample& sample,
    const StabilityOptions& options, const Execution& execution) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  HalfSamples halves(sample.style, options);
  return AssessStability(distance, sample, halves, execution);
}

absl::StatusOr<std::optional<WeightStability>> AssessStability(
    const StyleDistance& distance, const RoutedSample& sample,
    HalfSamples& halves, const Execution& execution) {
  if (sample.sources.size() != sample.distances.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the distances of ", sample.sources.size(),
                     " sources, got ", sample.distances.size()));
  }
  LADDER_ASSIGN_OR_RETURN(const auto candidates, ChooseCandidates(sample));
  if (halves.num_halves() == 0) return std::nullopt;

  WeightStability stability{.half_rows = halves.half_rows()};
  for (size_t half = 0; half < halves.num_halves(); ++half) {
    LADDER_ASSIGN_OR_RETURN(
        const auto distances,
        halves.Distances(distance, half, candidates.sources, execution));
    LADDER_ASSIGN_OR_RETURN(
        const auto weights,
        SoftmaxWeights(distances, candidates.k, sample.tau));
    const double spread = TotalVariation(weights, candidates.weights);
    stability.mean_total_variation += spread;
    stability.max_total_variation =
        std::max(stability.max_total_variation, spread);
  }
  stability.mean_total_variation /= static_cast<double>(halves.num_halves());
  return stability;
}

}  // namespace ladder::routing
