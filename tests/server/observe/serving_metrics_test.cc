#include "server/observe/serving_metrics.h"

#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/observe/exposition.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

TEST(ServingMetricsTest, CountsCallsByRpcAndCode) {
  ServingMetrics metrics({.rpcs = {"PredictDomain", "GetModel"}});

  for (int i = 0; i < 3; ++i) metrics.OnRpcStarted("PredictDomain");
  metrics.OnRpcEnded("PredictDomain", absl::StatusCode::kOk,
                     absl::Milliseconds(30));
  metrics.OnRpcEnded("PredictDomain", absl::StatusCode::kInvalidArgument,
                     absl::Milliseconds(500));

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_requests_total",
                   {{"rpc", "PredictDomain"}, {"code", "OK"}}),
            1);
  EXPECT_EQ(e.Find("ladder_requests_total",
                   {{"rpc", "PredictDomain"}, {"code", "INVALID_ARGUMENT"}}),
            1);
  EXPECT_EQ(e.Find("ladder_in_flight_requests", {{"rpc", "PredictDomain"}}), 1);
  EXPECT_EQ(e.Find("ladder_in_flight_requests", {{"rpc", "GetModel"}}), 0);
  EXPECT_EQ(e.Find("ladder_request_duration_seconds_count",
                   {{"rpc", "PredictDomain"}}),
            2);
  EXPECT_THAT(
      e.Find("ladder_request_duration_seconds_sum", {{"rpc", "PredictDomain"}}),
      Optional(DoubleNear(0.53, 1e-9)));
  EXPECT_EQ(e.Find("ladder_request_duration_seconds_bucket",
                   {{"rpc", "PredictDomain"}, {"le", "0.05"}}),
            1);
}

TEST(ServingMetricsTest, CallsOfUnknownRpcsAreOther) {
  ServingMetrics metrics({.rpcs = {"PredictDomain"}});

  for (int i = 0; i < 1000; ++i) {
    const std::string rpc = "Rpc" + std::to_string(i);
    metrics.OnRpcStarted(rpc);
    metrics.OnRpcEnded(rpc, absl::StatusCode::kUnimplemented,
                       absl::Milliseconds(1));
  }

  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_requests_total",
                   {{"rpc", "other"}, {"code", "UNIMPLEMENTED"}}),
            1000);
  EXPECT_EQ(e.families["ladder_requests_total"]
                .samples["ladder_requests_total"]
                .size(),
            1u);
}

TEST(ServingMetricsTest, MeasuresStagesAndTheQueueApart) {
  ServingMetrics metrics({});

  metrics.OnStage(Stage::kQueue, absl::Milliseconds(4));
  metrics.OnStage(Stage::kEncode, absl::Milliseconds(8));

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_queue_wait_seconds_count", {}), 1);
  EXPECT_EQ(
      e.Find("ladder_stage_duration_seconds_count", {{"stage", "encode"}}), 1);
  EXPECT_EQ(e.Find("ladder_stage_duration_seconds_count", {{"stage", "heads"}}),
            0);
  EXPECT_EQ(e.Find("ladder_stage_duration_seconds_count", {{"stage", "queue"}}),
            std::nullopt);
}

TEST(ServingMetricsTest, CountsBatchesAndRejectedImages) {
  ServingMetrics metrics({});

  metrics.OnBatch({.model = "cameras", .num_rows = 3});
  metrics.OnBatch({.model = "cameras", .num_rows = 64});
  metrics.OnImageRejected("corrupt");

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_batch_size_samples_sum", {{"model", "cameras"}}),
            67);
  EXPECT_EQ(e.Find("ladder_batch_size_samples_bucket",
                   {{"model", "cameras"}, {"le", "4"}}),
            1);
  EXPECT_EQ(e.Find("ladder_images_rejected_total", {{"reason", "corrupt"}}), 1);
}

TEST(ServingMetricsTest, SumsWeightsSoThatRatesGiveTheMean) {
  ServingMetrics metrics({});
  GroupReport other = RoutedReport("hill");
  other.weights = {{.source = "north", .weight = 1}};

  metrics.OnGroup(RoutedReport("lake"));
  metrics.OnGroup(other);

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_routed_groups_total",
                   {{"model", "cameras"}, {"version", "3"}}),
            2);
  EXPECT_EQ(
      e.Find("ladder_source_weight_total",
             {{"model", "cameras"}, {"version", "3"}, {"source", "north"}}),
      1.25);
  EXPECT_EQ(
      e.Find("ladder_source_weight_total",
             {{"model", "cameras"}, {"version", "3"}, {"source", "south"}}),
      0.75);
  EXPECT_EQ(
      e.Find("ladder_samples_total", {{"model", "cameras"}, {"version", "3"}}),
      80);
  EXPECT_EQ(e.Find("ladder_groups_total",
                   {{"model", "cameras"}, {"version", "3"}, {"code", "OK"}}),
            2);
  EXPECT_EQ(e.Find("ladder_group_duration_seconds_count",
                   {{"model", "cameras"}, {"version", "3"}}),
            2);
  EXPECT_EQ(
      e.Find("ladder_group_weight",
             {{"model", "cameras"}, {"group", "lake"}, {"source", "south"}}),
      0.75);
}

TEST(ServingMetricsTest, TellsTheVersionsOfAModelApart) {
  ServingMetrics metrics({});
  GroupReport canary = RoutedReport("lake");
  canary.version = 4;
  canary.coverage.verdict = routing::CoverageVerdict::kOut;

  metrics.OnGroup(RoutedReport("lake"));
  metrics.OnGroup(canary);

  const ScrapedMetrics e = Scrape(metrics.Collect());
  for (const char* version : {"3", "4"}) {
    EXPECT_EQ(e.Find("ladder_routed_groups_total",
                     {{"model", "cameras"}, {"version", version}}),
              1);
    EXPECT_EQ(e.Find("ladder_out_of_coverage_groups_total",
                     {{"model", "cameras"}, {"version", version}}),
              version[0] == '4' ? 1 : 0);
  }
}

TEST(ServingMetricsTest, CountsVerdictsAndFallbacks) {
  ServingMetrics metrics({});
  GroupReport out = RoutedReport("desert");
  out.coverage.verdict = routing::CoverageVerdict::kOut;
  out.fallback = "uniform";
  out.fallback_reason = "out_of_coverage";

  metrics.OnGroup(RoutedReport("lake"));
  metrics.OnGroup(out);

  const ScrapedMetrics e = Scrape(metrics.Collect());
  const auto verdicts = [&e](const std::string& verdict) {
    return e.Find(
        "ladder_coverage_verdicts_total",
        {{"model", "cameras"}, {"version", "3"}, {"verdict", verdict}});
  };
  EXPECT_EQ(verdicts("IN"), 1);
  EXPECT_EQ(verdicts("OUT"), 1);
  EXPECT_EQ(verdicts("EDGE"), 0);
  EXPECT_EQ(verdicts("UNKNOWN"), 0);
  EXPECT_EQ(e.Find("ladder_out_of_coverage_groups_total",
                   {{"model", "cameras"}, {"version", "3"}}),
            1);
  EXPECT_EQ(e.Find("ladder_fallbacks_total", {{"model", "cameras"},
                                              {"version", "3"},
                                              {"fallback", "uniform"},
                                              {"reason", "out_of_coverage"}}),
            1);
  EXPECT_EQ(e.Find("ladder_nearest_distance_sum",
                   {{"model", "cameras"}, {"version", "3"}}),
            1);
  EXPECT_EQ(e.Find("ladder_effective_experts_bucket",
                   {{"model", "cameras"}, {"version", "3"}, {"le", "2"}}),
            2);
}

TEST(ServingMetricsTest, GroupsThatWereNotRoutedHaveNoWeights) {
  ServingMetrics metrics({});
  GroupReport report;
  report.group = "lake";
  report.status = absl::NotFoundError("no such model");

  metrics.OnGroup(report);

  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_groups_total",
                   {{"model", ""}, {"version", ""}, {"code", "NOT_FOUND"}}),
            1);
  EXPECT_EQ(
      e.Find("ladder_routed_groups_total", {{"model", ""}, {"version", ""}}),
      0);
  EXPECT_FALSE(e.families.contains("ladder_group_weight"));
}

TEST(ServingMetricsTest, NumbersThatAreNoneSpoilNoSum) {
  ServingMetrics metrics({});
  GroupReport report = RoutedReport("lake");
  report.coverage.nearest_distance = std::numeric_limits<double>::quiet_NaN();
  report.effective_experts = std::numeric_limits<double>::quiet_NaN();

  metrics.OnGroup(report);
  metrics.OnGroup(RoutedReport("lake"));

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.Find("ladder_nearest_distance_sum",
                   {{"model", "cameras"}, {"version", "3"}}),
            0.5);
  EXPECT_EQ(e.Find("ladder_effective_experts_count",
                   {{"model", "cameras"}, {"version", "3"}}),
            1);
}

TEST(ServingMetricsTest, MethodsWithoutDistancesCountNone) {
  ServingMetrics metrics({});
  GroupReport report = RoutedReport("lake");
  report.has_distances = false;

  metrics.OnGroup(report);

  EXPECT_EQ(Scrape(metrics.Collect())
                .Find("ladder_nearest_distance_count",
                      {{"model", "cameras"}, {"version", "3"}}),
            0);
}

}  // namespace
}  // namespace ladder::server
