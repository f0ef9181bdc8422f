#include "server/observe/coverage_thresholds.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "routing/coverage.h"
#include "server/observe/metric_family.h"

namespace ladder::server {
namespace {

constexpr size_t kMaxSizes = 32;

void AddThresholds(const model_store::Manifest& manifest,
                   std::vector<LabelledValue>& thresholds) {
  const auto& levels = manifest.coverage.levels;
  for (size_t i = 0; i < std::min(levels.size(), kMaxSizes); ++i) {
    const size_t sample_size = levels[i].sample_size;
    const auto add = [&](routing::CoverageVerdict verdict, double distance) {
      thresholds.push_back(
          {.labels = {{"model", manifest.model},
                      {"version", absl::StrCat(manifest.version)},
                      {"verdict",
                       std::string(routing::CoverageVerdictName(verdict))},
                      {"sample_size", absl::StrCat(sample_size)}},
           .value = distance});
    };
    // The thresholds are the same for every distance.
    const routing::Coverage coverage = routing::AssessCoverage(
        manifest.coverage, /*nearest_distance=*/0, sample_size);
    add(routing::CoverageVerdict::kEdge, coverage.in_threshold);
    add(routing::CoverageVerdict::kOut, coverage.out_threshold);
  }
}

}  // namespace

CoverageThresholds::CoverageThresholds(
    std::function<std::vector<model_store::ModelHandle>()> list)
    : list_(std::move(list)) {}

std::vector<prometheus::MetricFamily> CoverageThresholds::Collect() const {
  std::vector<LabelledValue> thresholds;
  for (const model_store::ModelHandle& model : list_()) {
    AddThresholds(model->manifest(), thresholds);
  }
  return {MakeFamily("ladder_coverage_threshold_distance",
                     "Groups whose nearest source is farther away have this "
                     "verdict or a worse one.",
                     prometheus::MetricType::Gauge, thresholds)};
}

}  // namespace ladder::server
