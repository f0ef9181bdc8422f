#include "experiments/diagnose/source_geometry.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "experiments/diagnose/source_samples.h"
#include "routing/check_matrix.h"

namespace ladder::experiments {
namespace {

// The ranks of `values` less their mean, which ties do not change.
std::vector<double> CenteredRanks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  const double middle = (static_cast<double>(values.size()) - 1) / 2;
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    const double rank = static_cast<double>(begin + end - 1) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = rank - middle;
  }
  return ranks;
}

double Product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The names stand in the order of PairMeasure.
constexpr struct {
  absl::string_view key;
  absl::string_view name;
} kMeasureNames[kPairMeasures.size()] = {
    {"transfer_loss", "transfer loss"},
    {"prototype_distance", "z_c prototype distance"},
    {"mean_distance", "z_c mean distance"},
    {"deviation_distance", "z_c deviation distance"},
    {"label_distance", "label distance"}};

absl::Status CheckStack(const trainer::TrainedStack& stack) {
  const size_t num_sources = stack.sources.size();
  if (stack.heads.num_sources() != num_sources) {
    return absl::InvalidArgumentError(
        absl::StrCat("heads: expected those of ", num_sources, " sources, got ",
                     stack.heads.num_sources()));
  }
  if (stack.source_distances.size() != num_sources * num_sources) {
    return absl::InvalidArgumentError(absl::StrCat(
        "source distances: expected ", num_sources, " x ", num_sources,
        " values, got ", stack.source_distances.size()));
  }
  return absl::OkStatus();
}

std::vector<SourcePair> AllPairs(const std::vector<std::vector<size_t>>& rows) {
  std::vector<SourcePair> pairs;
  for (size_t first = 0; first < rows.size(); ++first) {
    for (size_t second = first + 1; second < rows.size(); ++second) {
      if (rows[first].empty() || rows[second].empty()) continue;
      pairs.push_back({.first = first, .second = second});
    }
  }
  return pairs;
}

std::optional<double> Rho(std::span<const SourcePair> pairs,
                          PairMeasure measure) {
  std::vector<double> distances;
  std::vector<double> values;
  for (const SourcePair& pair : pairs) {
    if (!pair.measures[measure].has_value()) continue;
    distances.push_back(pair.style_distance);
    values.push_back(*pair.measures[measure]);
  }
  return SpearmanRho(distances, values);
}

}  // namespace

std::optional<double> SpearmanRho(std::span<const double> x,
                                  std::span<const double> y) {
  const std::vector<double> x_ranks = CenteredRanks(x);
  const std::vector<double> y_ranks = CenteredRanks(y);
  const double spread =
      std::sqrt(Product(x_ranks, x_ranks) * Product(y_ranks, y_ranks));
  if (spread == 0) return std::nullopt;
  return std::clamp(Product(x_ranks, y_ranks) / spread, -1.0, 1.0);
}

absl::string_view PairMeasureKey(PairMeasure measure) {
  return kMeasureNames[static_cast<size_t>(measure)].key;
}

absl::string_view PairMeasureName(PairMeasure measure) {
  return kMeasureNames[static_cast<size_t>(measure)].name;
}

absl::StatusOr<SourceGeometry> MeasureSourceGeometry(
    const trainer::TrainedStack& stack, const trainer::EncodedSamples& samples,
    const routing::Execution& execution) {
  LADDER_RETURN_IF_ERROR(CheckStack(stack));
  const size_t num_sources = stack.sources.size();
  const size_t num_classes = stack.heads.num_classes();
  LADDER_ASSIGN_OR_RETURN(const auto rows, RowsBySource(samples, num_sources));
  LADDER_RETURN_IF_ERROR(CheckLabels(samples, num_classes));
  LADDER_RETURN_IF_ERROR(routing::CheckMatrix(samples.content_view(), "z_c",
                                              stack.heads.dimension()));

  SourceGeometry geometry;
  geometry.pairs = AllPairs(rows);
  if (geometry.pairs.empty()) {
    return absl::InvalidArgumentError(
        "samples: expected those of at least 2 sources, got those of 1");
  }
  for (size_t e = 0; e < num_sources; ++e) {
    geometry.sources.push_back(stack.sources[e].name);
    geometry.num_samples.push_back(rows[e].size());
  }
  LADDER_ASSIGN_OR_RETURN(
      const auto losses, TransferLosses(stack.heads, samples, rows, execution));
  std::vector<ContentSummary> summaries(num_sources);
  LADDER_RETURN_IF_ERROR(execution.ForEach(num_sources, [&](size_t e) {
    summaries[e] = SummarizeContent(samples, rows[e], num_classes);
  }));

  LADDER_RETURN_IF_ERROR(
      execution.ForEach(geometry.pairs.size(), [&](size_t i) {
        SourcePair& pair = geometry.pairs[i];
        const size_t there = pair.first * num_sources + pair.second;
        const size_t back = pair.second * num_sources + pair.first;
        const ContentSummary& a = summaries[pair.first];
        const ContentSummary& b = summaries[pair.second];
        pair.style_distance = stack.source_distances[there];
        pair.measures[PairMeasure::kTransferLoss] =
            (losses[there] + losses[back]) / 2;
        pair.measures[PairMeasure::kPrototypeDistance] =
            PrototypeDistance(a, b);
        pair.measures[PairMeasure::kMeanDistance] =
            EuclideanDistance(a.mean, b.mean);
        pair.measures[PairMeasure::kDeviationDistance] =
            EuclideanDistance(a.deviation, b.deviation);
        pair.measures[PairMeasure::kLabelDistance] = LabelDistance(a, b);
      }));
  for (const PairMeasure measure : kPairMeasures) {
    geometry.rho[measure] = Rho(geometry.pairs, measure);
  }
  return geometry;
}

}  // namespace ladder::experiments
