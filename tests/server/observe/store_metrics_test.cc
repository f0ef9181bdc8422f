#include "server/observe/store_metrics.h"

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "model_store/store/version_state.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

using model_store::VersionEvent;
using model_store::VersionState;

TEST(StoreMetricsTest, CountsLoadsByResult) {
  StoreMetrics metrics;
  VersionEvent event = {.model = "cameras", .version = 1};
  event.from = VersionState::kLoading;
  event.to = VersionState::kServing;
  event.duration = absl::Seconds(2);
  metrics.OnVersionState(event);

  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_model_loads_total",
                   {{"model", "cameras"}, {"result", "ok"}}),
            1);
  EXPECT_EQ(e.Find("ladder_model_loads_total",
                   {{"model", "cameras"}, {"result", "failed"}}),
            0);
  EXPECT_EQ(
      e.Find("ladder_model_load_duration_seconds_sum", {{"model", "cameras"}}),
      2);

  event.version = 2;
  event.to = VersionState::kFailed;
  event.status = absl::DataLossError("bad checksum");
  metrics.OnVersionState(event);

  e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_model_loads_total",
                   {{"model", "cameras"}, {"result", "failed"}}),
            1);
  EXPECT_EQ(e.Find("ladder_model_load_duration_seconds_count",
                   {{"model", "cameras"}}),
            1);
}

TEST(StoreMetricsTest, CountsUnloadsAndAnUnreadableStore) {
  StoreMetrics metrics;
  metrics.OnVersionState({.model = "cameras",
                          .version = 1,
                          .from = VersionState::kDraining,
                          .to = VersionState::kUnloaded});
  metrics.OnVersionState({.model = "cameras",
                          .version = 1,
                          .from = VersionState::kUnloaded,
                          .to = VersionState::kUnloaded});
  metrics.OnStoreStatus(absl::UnavailableError("unmounted"));
  metrics.OnStoreStatus(absl::OkStatus());

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_model_unloads_total", {{"model", "cameras"}}), 1);
  EXPECT_EQ(e.Find("ladder_store_errors_total", {}), 1);
}

TEST(StoreContentsTest, ShowsServedVersions) {
  model_store::StoreInfo info;
  info.models.push_back(
      {.name = "cameras",
       .served = {3},
       .versions = {{.version = 2, .state = VersionState::kFailed},
                    {.version = 3,
                     .state = VersionState::kServing,
                     .sha256 = "0123456789abcdef0123456789abcdef"}}});
  info.models.push_back({.name = "maps"});

  ScrapedMetrics e = Scrape(StoreContents(info));
  EXPECT_EQ(e.families["ladder_model_info"].samples["ladder_model_info"].size(),
            1u);
  EXPECT_EQ(e.Find("ladder_model_info", {{"model", "cameras"},
                                         {"version", "3"},
                                         {"sha256", "0123456789ab"}}),
            1);
  EXPECT_EQ(e.Find("ladder_model_served_versions", {{"model", "cameras"}}), 1);
  EXPECT_EQ(e.Find("ladder_model_served_versions", {{"model", "maps"}}), 0);
  EXPECT_EQ(e.Find("ladder_store_readable", {}), 1);

  info.status = absl::UnavailableError("unmounted");
  EXPECT_EQ(Scrape(StoreContents(info)).Find("ladder_store_readable", {}), 0);
}

}  // namespace
}  // namespace ladder::server
