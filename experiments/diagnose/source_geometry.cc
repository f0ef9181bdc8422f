#include "experiments/diagnose/source_geometry.h"

#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "experiments/diagnose/content_summary.h"
#include "experiments/diagnose/source_rows.h"
#include "experiments/diagnose/spearman.h"
#include "experiments/diagnose/transfer_loss.h"
#include "routing/check_matrix.h"

namespace ladder::trainer {
namespace {

absl::Status CheckStack(const TrainedStack& stack) {
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

absl::string_view PairMeasureKey(PairMeasure measure) {
  switch (measure) {
    case PairMeasure::kTransferLoss:
      return "transfer_loss";
    case PairMeasure::kPrototypeDistance:
      return "prototype_distance";
    case PairMeasure::kMeanDistance:
      return "mean_distance";
    case PairMeasure::kDeviationDistance:
      return "deviation_distance";
    case PairMeasure::kLabelDistance:
      return "label_distance";
  }
  return "";
}

absl::string_view PairMeasureName(PairMeasure measure) {
  switch (measure) {
    case PairMeasure::kTransferLoss:
      return "transfer loss";
    case PairMeasure::kPrototypeDistance:
      return "z_c prototype distance";
    case PairMeasure::kMeanDistance:
      return "z_c mean distance";
    case PairMeasure::kDeviationDistance:
      return "z_c deviation distance";
    case PairMeasure::kLabelDistance:
      return "label distance";
  }
  return "";
}

absl::StatusOr<SourceGeometry> MeasureSourceGeometry(
    const TrainedStack& stack, const EncodedSamples& samples,
    const routing::Execution& execution) {
  absl::Status status = CheckStack(stack);
  if (!status.ok()) return status;
  const size_t num_sources = stack.sources.size();
  const size_t num_classes = stack.heads.num_classes();
  const auto rows = RowsBySource(samples, num_sources);
  if (!rows.ok()) return rows.status();
  status = CheckLabels(samples, num_classes);
  if (!status.ok()) return status;
  status = routing::CheckMatrix(samples.content_view(), "z_c",
                                stack.heads.dimension());
  if (!status.ok()) return status;

  SourceGeometry geometry;
  geometry.pairs = AllPairs(*rows);
  if (geometry.pairs.empty()) {
    return absl::InvalidArgumentError(
        "samples: expected those of at least 2 sources, got those of 1");
  }
  for (size_t e = 0; e < num_sources; ++e) {
    geometry.sources.push_back(stack.sources[e].name);
    geometry.num_samples.push_back((*rows)[e].size());
  }
  const auto losses = TransferLosses(stack.heads, samples, *rows, execution);
  if (!losses.ok()) return losses.status();
  std::vector<ContentSummary> summaries(num_sources);
  status = execution.ForEach(num_sources, [&](size_t e) {
    summaries[e] = SummarizeContent(samples, (*rows)[e], num_classes);
  });
  if (!status.ok()) return status;

  status = execution.ForEach(geometry.pairs.size(), [&](size_t i) {
    SourcePair& pair = geometry.pairs[i];
    const size_t there = pair.first * num_sources + pair.second;
    const size_t back = pair.second * num_sources + pair.first;
    const ContentSummary& a = summaries[pair.first];
    const ContentSummary& b = summaries[pair.second];
    pair.style_distance = stack.source_distances[there];
    pair.measures[PairMeasure::kTransferLoss] =
        ((*losses)[there] + (*losses)[back]) / 2;
    pair.measures[PairMeasure::kPrototypeDistance] = PrototypeDistance(a, b);
    pair.measures[PairMeasure::kMeanDistance] =
        EuclideanDistance(a.mean, b.mean);
    pair.measures[PairMeasure::kDeviationDistance] =
        EuclideanDistance(a.deviation, b.deviation);
    pair.measures[PairMeasure::kLabelDistance] = LabelDistance(a, b);
  });
  if (!status.ok()) return status;
  for (const PairMeasure measure : kPairMeasures) {
    geometry.rho[measure] = Rho(geometry.pairs, measure);
  }
  return geometry;
}

}  // namespace ladder::trainer
