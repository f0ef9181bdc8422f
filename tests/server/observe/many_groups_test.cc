#include <malloc.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/serving_metrics.h"
#include "tests/server/observe/exposition.h"
#include "tests/server/observe/reports.h"

namespace ladder::server {
namespace {

using ::testing::Le;

TEST(ManyGroupsTest, LeaveFewSeriesAndLittleMemory) {
  ServingMetrics metrics({.rpcs = {"PredictDomain"}});
  const auto record = [&metrics](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      metrics.OnGroup(RoutedReport(absl::StrCat("location ", 1'000'000 + i)));
    }
  };
  record(0, 1000);
  const size_t series = Scrape(metrics.Collect()).NumSamples();
  const size_t bytes = mallinfo2().uordblks;

  record(1000, 100'000);

  const size_t more_bytes = mallinfo2().uordblks;
  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.NumSamples(), series);
  EXPECT_EQ(
      e.families["ladder_group_weight"].samples["ladder_group_weight"].size(),
      2u * 50);
  EXPECT_EQ(e.Find("ladder_routed_groups_total",
                   {{"model", "cameras"}, {"version", "3"}}),
            100'000);
  EXPECT_THAT(more_bytes, Le(bytes + (64u << 10)));
}

TEST(ManyGroupsTest, NamesOfAnyKindLeaveTheTextReadable) {
  ServingMetrics metrics({.recent_groups = {.max_groups = 1000}});
  const std::vector<std::string> names = {
      "",
      "plain",
      "\"quoted\"",
      "back\\slash",
      "\\",
      "\\n",
      "two\nlines",
      "a\",group=\"b",
      "x\"} 1\nladder_requests_total{rpc=\"forged\"} 7\n",
      std::string("nul\0byte", 8),
      "\xff\xfe",
      "cut \xe2\x82",
      "\xc2\x85\xe2\x80\xa8",
      "{}",
      "# HELP",
      std::string(1 << 20, 'y')};

  for (const std::string& name : names) {
    GroupReport report = RoutedReport(name);
    report.weights = {{.source = name, .weight = 1}};
    report.fallback = name;
    report.fallback_reason = name;
    metrics.OnGroup(report);
    report.model = name;
    metrics.OnGroup(report);
    metrics.OnImageRejected(name);
    metrics.OnBatch({.model = name, .num_rows = 1});
    metrics.OnRpcStarted(name);
  }

  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_FALSE(e.Find("ladder_requests_total", {{"rpc", "forged"}}));
  EXPECT_EQ(e.Find("ladder_group_weight", {{"model", "cameras"},
                                           {"group", "a\",group=\"b"},
                                           {"source", "a\",group=\"b"}}),
            1);
  EXPECT_EQ(
      e.families["ladder_group_weight"].samples["ladder_group_weight"].size(),
      2 * names.size());
}

TEST(ManyGroupsTest, ModelNamesAreBoundedToo) {
  ServingMetrics metrics({.recent_groups = {.max_groups = 0}});

  for (int i = 0; i < 2000; ++i) {
    GroupReport report = RoutedReport("lake");
    report.model = absl::StrCat("model ", i);
    metrics.OnGroup(report);
    metrics.OnBatch({.model = report.model, .num_rows = 1});
  }

  ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(e.families["ladder_routed_groups_total"]
                .samples["ladder_routed_groups_total"]
                .size(),
            257u);
  EXPECT_EQ(e.Find("ladder_routed_groups_total",
                   {{"model", "other"}, {"version", "3"}}),
            2000 - 256);
  EXPECT_EQ(e.Find("ladder_batch_size_samples_count", {{"model", "other"}}),
            2000 - 256);
}

TEST(ManyGroupsTest, ThreadsCountWhileOthersRead) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  ServingMetrics metrics({.rpcs = {"PredictDomain", "RouteDomain"}});
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) Scrape(metrics.Collect());
  });

  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&metrics, t] {
      for (int i = 0; i < kRounds; ++i) {
        const char* rpc = i % 2 == 0 ? "PredictDomain" : "RouteDomain";
        metrics.OnRpcStarted(rpc);
        metrics.OnStage(static_cast<Stage>(i % kNumStages),
                        absl::Milliseconds(1));
        metrics.OnBatch(
            {.model = absl::StrCat("model ", i % 3), .num_rows = 8});
        metrics.OnImageRejected("corrupt");
        metrics.OnGroup(RoutedReport(absl::StrCat(t, "/", i)));
        metrics.OnRpcEnded(rpc, absl::StatusCode::kOk, absl::Milliseconds(1));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();

  const ScrapedMetrics e = Scrape(metrics.Collect());
  EXPECT_EQ(
      e.Find("ladder_requests_total", {{"rpc", "RouteDomain"}, {"code", "OK"}}),
      kThreads * kRounds / 2);
  EXPECT_EQ(e.Find("ladder_in_flight_requests", {{"rpc", "RouteDomain"}}), 0);
  EXPECT_EQ(e.Find("ladder_images_rejected_total", {{"reason", "corrupt"}}),
            kThreads * kRounds);
  EXPECT_EQ(
      e.Find("ladder_source_weight_total",
             {{"model", "cameras"}, {"version", "3"}, {"source", "south"}}),
      0.75 * kThreads * kRounds);
}

}  // namespace
}  // namespace ladder::server
