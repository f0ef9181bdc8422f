#include "trainer/evaluate/sweep.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/router.h"
#include "routing/weights.h"

namespace ladder::trainer {
namespace {

absl::StatusOr<std::vector<SweepPoint>> Sweep(
    const MeasuredSplit& split, const LabelledSplit& truth,
    std::span<const routing::RoutingOptions> settings,
    const MetricOptions& options, const routing::Execution& execution) {
  std::vector<SweepPoint> points;
  for (const routing::RoutingOptions& setting : settings) {
    LADDER_ASSIGN_OR_RETURN(const auto labels,
                            split.Predict(setting, execution));
    LADDER_ASSIGN_OR_RETURN(auto metrics,
                            ComputeMetrics(truth, labels, options));
    points.push_back(
        {.k = setting.k, .tau = setting.tau, .metrics = std::move(metrics)});
  }
  return points;
}

}  // namespace

absl::StatusOr<std::vector<SweepPoint>> SweepK(
    const MeasuredSplit& split, const LabelledSplit& truth,
    std::span<const size_t> ks, const MetricOptions& options,
    const routing::Execution& execution) {
  std::vector<routing::RoutingOptions> settings(ks.size(),
                                                split.LadderOptions());
  for (size_t i = 0; i < ks.size(); ++i) settings[i].k = ks[i];
  return Sweep(split, truth, settings, options, execution);
}

absl::StatusOr<std::vector<SweepPoint>> SweepTau(
    const MeasuredSplit& split, const LabelledSplit& truth,
    std::span<const double> taus, const MetricOptions& options,
    const routing::Execution& execution) {
  std::vector<routing::RoutingOptions> settings(taus.size(),
                                                split.LadderOptions());
  for (size_t i = 0; i < taus.size(); ++i) settings[i].tau = taus[i];
  return Sweep(split, truth, settings, options, execution);
}

SeedResult SweepResult(const SweepPoint& point, uint64_t seed) {
  const std::string k =
      point.k == routing::kAllSources ? "all" : absl::StrCat(point.k);
  return {.method = absl::StrCat("K=", k, " tau=", point.tau),
          .seed = seed,
          .metrics = point.metrics};
}

}  // namespace ladder::trainer
