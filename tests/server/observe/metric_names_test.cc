#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "server/observe/serving_metrics.h"
#include "server/observe/store_metrics.h"
#include "tests/fakes/fake_model.h"
#include "tests/server/observe/exposition.h"
#include "tests/server/observe/reports.h"
#include "tests/testdata.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::vector<model_store::ModelHandle> OneCalibratedModel() {
  model_store::Manifest manifest;
  manifest.style_dimension = 1;
  manifest.sources = {{.name = "north"}};
  manifest.coverage.levels = {
      {.sample_size = 8,
       .num_sources = 2,
       .quantiles = std::vector<double>(
           routing::CoverageCalibration::kNumQuantiles, 1.0)}};
  return {std::make_shared<model_store::FakeModel>(std::move(manifest), "")};
}

ScrapedMetrics ScrapeEverything() {
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
  MetricFamilies all = serving.Collect();
  Append(store.Collect(), all);
  Append(StoreContents({}), all);
  Append(ProcessMetrics(), all);
  Append(CoverageThresholds(OneCalibratedModel()), all);
  Append(LimitMetrics({}), all);
  Append(SecurityMetrics({.certificate_expires = absl::UnixEpoch(),
                          .num_certificate_failures = 1,
                          .num_token_failures = 1}),
         all);
  Append(LogMetrics(3), all);
  return Scrape(all);
}

bool EndsInAUnit(const std::string& name) {
  for (const char* unit :
       {"_seconds", "_bytes", "_ratio", "_samples", "_requests", "_versions",
        "_experts", "_fds", "_info"}) {
    if (absl::EndsWith(name, unit)) return true;
  }
  // Numbers without a unit.
  return name == "ladder_group_weight" || name == "ladder_store_readable" ||
         absl::EndsWith(name, "_distance");
}

TEST(MetricNamesTest, SayPrefixUnitAndKind) {
  const ScrapedMetrics e = ScrapeEverything();

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
  const ScrapedMetrics e = ScrapeEverything();

  std::set<std::string> labels;
  for (const auto& [name, family] : e.families) {
    for (const auto& [sample, values] : family.samples) {
      for (const auto& [sample_labels, value] : values) {
        for (const auto& [label, text] : sample_labels) labels.insert(label);
      }
    }
  }

  const std::set<std::string> known = {
      "rpc",     "code",   "stage",    "model",    "reason",
      "source",  "group",  "verdict",  "fallback", "result",
      "version", "sha256", "compiler", "le",       "sample_size"};
  EXPECT_THAT(known, IsSupersetOf(labels));
}

TEST(MetricNamesTest, AreAllInTheDocs) {
  const std::filesystem::path path = TestdataFolder() / "../../docs/serving.md";
  std::ostringstream docs;
  docs << std::ifstream(path).rdbuf();

  for (const auto& [name, family] : ScrapeEverything().families) {
    EXPECT_THAT(docs.str(), HasSubstr(absl::StrCat("| `", name, "` |")));
  }
}

}  // namespace
}  // namespace ladder::server
