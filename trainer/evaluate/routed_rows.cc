#include "trainer/evaluate/routed_rows.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/router.h"
#include "routing/weights.h"

namespace ladder::trainer {
namespace {

absl::StatusOr<std::vector<SeedResult>> Sweep(
    const MeasuredSplit& split, const LabelledSplit& truth, uint64_t seed,
    std::span<const routing::RoutingOptions> settings,
    const MetricOptions& options, const routing::Execution& execution) {
  std::vector<SeedResult> results;
  for (const routing::RoutingOptions& setting : settings) {
    LADDER_ASSIGN_OR_RETURN(const auto labels,
                            split.Predict(setting, execution));
    LADDER_ASSIGN_OR_RETURN(auto metrics,
                            ComputeMetrics(truth, labels, options));
    const std::string k =
        setting.k == routing::kAllSources ? "all" : absl::StrCat(setting.k);
    results.push_back({.method = absl::StrCat("K=", k, " tau=", setting.tau),
                       .seed = seed,
                       .metrics = std::move(metrics)});
  }
  return results;
}

}  // namespace

absl::StatusOr<RoutedRows> PredictRows(const MeasuredSplit& whole,
                                       const MeasuredSplit* domains,
                                       const routing::Execution& execution) {
  struct Row {
    const char* method;
    const MeasuredSplit* split;
    routing::RoutingOptions options;
  };
  using routing::Method;
  const MeasuredSplit* const finest = domains != nullptr ? domains : &whole;
  const routing::RoutingOptions ladder = whole.LadderOptions();
  std::vector<Row> rows = {
      {kUniformExperts, &whole, {.method = Method::kUniform}},
      {kNearestExpert, finest, {.method = Method::kNearest}},
      {kSampleGate, &whole, {.method = Method::kSampleGate}}};
  if (domains != nullptr) {
    rows.push_back(
        {kSampleGateGroup, domains, {.method = Method::kSampleGateGroup}});
  }
  rows.push_back({kLadderSplit, &whole, ladder});
  if (domains != nullptr) rows.push_back({kLadderGroup, domains, ladder});

  RoutedRows routed;
  for (const Row& row : rows) {
    LADDER_ASSIGN_OR_RETURN(auto labels,
                            row.split->Predict(row.options, execution));
    routed.rows.push_back({.method = row.method, .labels = std::move(labels)});
  }
  LADDER_ASSIGN_OR_RETURN(routed.groups, finest->Route(ladder, execution));
  return routed;
}

absl::StatusOr<std::vector<SeedResult>> SweepK(
    const MeasuredSplit& split, const LabelledSplit& truth, uint64_t seed,
    std::span<const size_t> ks, const MetricOptions& options,
    const routing::Execution& execution) {
  std::vector<routing::RoutingOptions> settings(ks.size(),
                                                split.LadderOptions());
  for (size_t i = 0; i < ks.size(); ++i) settings[i].k = ks[i];
  return Sweep(split, truth, seed, settings, options, execution);
}

absl::StatusOr<std::vector<SeedResult>> SweepTau(
    const MeasuredSplit& split, const LabelledSplit& truth, uint64_t seed,
    std::span<const double> taus, const MetricOptions& options,
    const routing::Execution& execution) {
  std::vector<routing::RoutingOptions> settings(taus.size(),
                                                split.LadderOptions());
  for (size_t i = 0; i < taus.size(); ++i) settings[i].tau = taus[i];
  return Sweep(split, truth, seed, settings, options, execution);
}

}  // namespace ladder::trainer
