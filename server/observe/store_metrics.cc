#include "server/observe/store_metrics.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "routing/coverage.h"

namespace ladder::server {
namespace {

using model_store::VersionState;

constexpr size_t kShortSha256 = 12;  // Hex digits, to recognise a bundle by.
constexpr size_t kMaxSampleSizes = 32;

void AddThresholds(const model_store::Manifest& manifest,
                   std::vector<LabelledValue>& thresholds) {
  const auto& levels = manifest.coverage.levels;
  for (size_t i = 0; i < std::min(levels.size(), kMaxSampleSizes); ++i) {
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

StoreMetrics::StoreMetrics()
    : loads_(AddCounters(registry_, "ladder_model_loads_total",
                         "Ended loads of model versions, by result.")),
      load_duration_(AddHistograms(registry_,
                                   "ladder_model_load_duration_seconds",
                                   "Time to read, verify and warm a version.")),
      unloads_(AddCounters(registry_, "ladder_model_unloads_total",
                           "Versions whose memory was returned.")),
      errors_(AddCounters(registry_, "ladder_store_errors_total",
                          "How often the store's directory became unreadable.")
                  .Add({})) {}

// Versions change so rarely that the families may look their metrics up.
void StoreMetrics::OnVersionState(const model_store::VersionEvent& event) {
  // Both begin at zero, or the first failure would be missing in rates.
  auto& ok = loads_.Add({{"model", event.model}, {"result", "ok"}});
  auto& failed = loads_.Add({{"model", event.model}, {"result", "failed"}});
  if (event.from == event.to) return;
  if (event.from == VersionState::kLoading) {
    if (event.to == VersionState::kServing) {
      ok.Increment();
      load_duration_.Add({{"model", event.model}}, SecondsBuckets())
          .Observe(absl::ToDoubleSeconds(event.duration));
    } else if (event.to == VersionState::kFailed) {
      failed.Increment();
    }
  }
  if (event.to == VersionState::kUnloaded) {
    unloads_.Add({{"model", event.model}}).Increment();
  }
}

void StoreMetrics::OnStoreStatus(const absl::Status& status) {
  if (!status.ok()) errors_.Increment();
}

MetricFamilies StoreContents(const model_store::StoreInfo& store) {
  std::vector<LabelledValue> info;
  std::vector<LabelledValue> served;
  for (const model_store::ModelInfo& model : store.models) {
    served.push_back({.labels = {{"model", model.name}},
                      .value = static_cast<double>(model.served.size())});
    for (const model_store::VersionInfo& version : model.versions) {
      if (version.state != model_store::VersionState::kServing) continue;
      info.push_back(
          {.labels = {{"model", model.name},
                      {"version", absl::StrCat(version.version)},
                      {"sha256", version.sha256.substr(0, kShortSha256)}},
           .value = 1});
    }
  }
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  return {
      MakeFamily("ladder_model_info", "Served versions of models.", kGauge,
                 info),
      MakeFamily("ladder_model_served_versions",
                 "How many versions of a model are served.", kGauge, served),
      MakeFamily("ladder_store_readable",
                 "1 if the store's directory could be read, else 0.", kGauge,
                 store.status.ok() ? 1.0 : 0.0)};
}

MetricFamilies CoverageThresholds(
    std::span<const model_store::ModelHandle> served) {
  std::vector<LabelledValue> thresholds;
  for (const model_store::ModelHandle& model : served) {
    AddThresholds(model->manifest(), thresholds);
  }
  return {MakeFamily("ladder_coverage_threshold_distance",
                     "Groups whose nearest source is farther away have this "
                     "verdict or a worse one.",
                     prometheus::MetricType::Gauge, thresholds)};
}

}  // namespace ladder::server
