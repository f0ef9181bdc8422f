#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "routing/coverage.h"
#include "server/observe/store_metrics.h"
#include "tests/fakes/fake_model.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

using model_store::FakeModel;
using model_store::Manifest;
using model_store::ModelHandle;
using routing::CoverageCalibration;

// Its quantiles are 0, step, 2 step, ..., 20 step.
CoverageCalibration::Level Level(size_t sample_size, double step) {
  CoverageCalibration::Level level = {.sample_size = sample_size,
                                      .num_sources = 3};
  for (size_t i = 0; i < CoverageCalibration::kNumQuantiles; ++i) {
    level.quantiles.push_back(step * static_cast<double>(i));
  }
  return level;
}

ModelHandle Calibrated(uint64_t version,
                       std::vector<CoverageCalibration::Level> levels) {
  Manifest manifest;
  manifest.model = "cameras";
  manifest.version = version;
  manifest.style_dimension = 2;
  manifest.sources = {{.name = "north"}, {.name = "south"}};
  manifest.coverage.levels = std::move(levels);
  return std::make_shared<FakeModel>(std::move(manifest), "sha256");
}

ScrapedMetrics ScrapeThresholds(const std::vector<ModelHandle>& models) {
  return Scrape(CoverageThresholds(models));
}

TEST(CoverageThresholdsTest, AreThoseThatVerdictsRestOn) {
  const ModelHandle model = Calibrated(3, {Level(8, 2), Level(64, 1)});

  const ScrapedMetrics e = ScrapeThresholds({model});

  for (const size_t size : {8, 64}) {
    const routing::Coverage coverage =
        routing::AssessCoverage(model->manifest().coverage, 0, size);
    const auto shown = [&](const std::string& verdict) {
      return e.Find("ladder_coverage_threshold_distance",
                    {{"model", "cameras"},
                     {"version", "3"},
                     {"verdict", verdict},
                     {"sample_size", std::to_string(size)}});
    };
    EXPECT_EQ(shown("EDGE"), coverage.in_threshold);
    EXPECT_EQ(shown("OUT"), coverage.out_threshold);
    EXPECT_EQ(shown("IN"), std::nullopt);
  }
}

TEST(CoverageThresholdsTest, EveryServedVersionHasItsOwn) {
  const ScrapedMetrics e = ScrapeThresholds(
      {Calibrated(1, {Level(8, 1)}), Calibrated(2, {Level(8, 2)})});

  const auto edge = [&e](const std::string& version) {
    return e.Find("ladder_coverage_threshold_distance", {{"model", "cameras"},
                                                         {"version", version},
                                                         {"verdict", "EDGE"},
                                                         {"sample_size", "8"}});
  };
  EXPECT_EQ(edge("1"), 18);
  EXPECT_EQ(edge("2"), 36);
}

TEST(CoverageThresholdsTest, AModelWithoutCalibrationHasNone) {
  EXPECT_EQ(ScrapeThresholds({Calibrated(1, {})}).NumSamples(), 0u);
}

TEST(CoverageThresholdsTest, StayFewWhateverABundleHolds) {
  std::vector<CoverageCalibration::Level> levels;
  for (size_t size = 1; size <= 1000; ++size) levels.push_back(Level(size, 1));

  EXPECT_EQ(ScrapeThresholds({Calibrated(1, levels)}).NumSamples(), 64u);
}

}  // namespace
}  // namespace ladder::server
