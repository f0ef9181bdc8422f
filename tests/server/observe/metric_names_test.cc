#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/process_metrics.h"
#include "server/observe/scraped_metric.h"
#include "server/observe/serving_metrics.h"
#include "server/observe/store_contents.h"
#include "server/observe/store_metrics.h"
#include "tests/server/observe/exposition.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::IsSupersetOf;

Exposition ScrapeEverything() {
  ServingMetrics serving({.rpcs = {"PredictDomain"}});
  serving.OnRpcStarted("PredictDomain");
  serving.OnRpcEnded("PredictDomain", absl::StatusCode::kOk, absl::Seconds(1));
  serving.OnBatch({.model = "cameras", .num_rows = 8});
  serving.OnImageRejected("corrupt");
  GroupReport report = RoutedReport("lake");
  report.fallback = "soften";
  report.fallback_reason = "too_few_samples";
  serving.OnGroup(report);
  StoreMetrics store;
  store.OnVersionState({.model = "cameras",
                        .version = 1,
                        .from = model_store::VersionState::kLoading,
                        .to = model_store::VersionState::kServing});
  store.OnVersionState({.model = "cameras",
                        .version = 1,
                        .from = model_store::VersionState::kServing,
                        .to = model_store::VersionState::kUnloaded});
  const StoreContents contents([] { return model_store::StoreInfo(); });
  const ProcessMetrics process;
  const auto queue = ScrapedMetric::QueueDepth([] { return 12.0; });
  const auto dropped = ScrapedMetric::DroppedLogLines([] { return 3.0; });
  return Scrape({&serving, &store, &contents, &process, &queue, &dropped});
}

bool EndsInAUnit(const std::string& name) {
  for (const char* unit :
       {"_seconds", "_bytes", "_ratio", "_samples", "_requests", "_versions",
        "_experts", "_fds", "_info"}) {
    if (absl::EndsWith(name, unit)) return true;
  }
  // Numbers without a unit.
  return name == "ladder_group_weight" || name == "ladder_nearest_distance" ||
         name == "ladder_store_readable";
}

TEST(MetricNamesTest, SayPrefixUnitAndKind) {
  const Exposition e = ScrapeEverything();

  EXPECT_GE(e.families.size(), 25u);
  for (const auto& [name, family] : e.families) {
    EXPECT_TRUE(absl::StartsWith(name, "ladder_")) << name;
    EXPECT_TRUE(absl::EndsWith(family.help, ".")) << name;
    if (family.type == "counter") {
      EXPECT_TRUE(absl::EndsWith(name, "_total")) << name;
    } else {
      EXPECT_TRUE(EndsInAUnit(name)) << name;
    }
  }
}

TEST(MetricNamesTest, LabelsAreFromAShortList) {
  const Exposition e = ScrapeEverything();

  std::set<std::string> labels;
  for (const auto& [name, family] : e.families) {
    for (const auto& [sample, values] : family.samples) {
      for (const auto& [sample_labels, value] : values) {
        for (const auto& [label, text] : sample_labels) labels.insert(label);
      }
    }
  }

  const std::set<std::string> known = {
      "rpc",     "code",     "stage",  "model",   "reason", "source",   "group",
      "verdict", "fallback", "result", "version", "sha256", "compiler", "le"};
  EXPECT_THAT(known, IsSupersetOf(labels));
}

TEST(MetricNamesTest, NumbersOfOthersAreReadWhenScraped) {
  double depth = 1;
  const auto queue = ScrapedMetric::QueueDepth([&depth] { return depth; });
  EXPECT_EQ(Scrape({&queue}).Find("ladder_queue_depth_samples", {}), 1);

  depth = 5;

  EXPECT_EQ(Scrape({&queue}).Find("ladder_queue_depth_samples", {}), 5);
}

}  // namespace
}  // namespace ladder::server
