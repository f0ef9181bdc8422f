#include "client/command/watch/watch_view.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/text/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/watch/server_metrics.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

// Some seconds after the server's start.
Scrape ScrapeAt(int seconds, int calls, int start = kServerStart) {
  return {absl::FromUnixSeconds(kServerStart + seconds),
          Exposition::Parse(ServerMetrics(calls, start)).value()};
}

TEST(WatchViewTest, ComputesRatesFromTwoScrapes) {
  const Scrape older = ScrapeAt(100, 1000);

  const WatchView view = ComputeWatchView(&older, ScrapeAt(102, 1400));

  EXPECT_EQ(view.period, absl::Seconds(2));
  EXPECT_EQ(view.uptime, absl::Seconds(102));
  EXPECT_FALSE(view.since_start);
  ASSERT_THAT(view.latencies, SizeIs(3));
  const WatchView::Latency& call = view.latencies[0];
  EXPECT_EQ(call.name, "PredictDomain");
  EXPECT_EQ(call.in_flight, 3);
  EXPECT_EQ(call.per_second, 300);
  EXPECT_THAT(call.codes_per_second,
              ElementsAre(Pair("OK", 200), Pair("RESOURCE_EXHAUSTED", 100)));
  ASSERT_THAT(view.models, SizeIs(1));
  EXPECT_EQ(view.models[0].groups_per_second, 200);
  EXPECT_EQ(view.models[0].samples_per_second, 20'000);
  EXPECT_EQ(view.models[0].mean_batch, 24);
}

TEST(WatchViewTest, ComputesLatenciesOfThePeriod) {
  const Scrape older = ScrapeAt(100, 1000);

  const WatchView view = ComputeWatchView(&older, ScrapeAt(102, 1400));

  // A third of them up to 10 ms, the others up to 20 ms.
  const WatchView::Latency& call = view.latencies[0];
  EXPECT_DOUBLE_EQ(call.p50, 0.01 + 0.01 * (0.5 - 1. / 3) / (2. / 3));
  EXPECT_DOUBLE_EQ(call.p90, 0.01 + 0.01 * (0.9 - 1. / 3) / (2. / 3));
  EXPECT_EQ(view.latencies[1].name, "stage queue");
  EXPECT_EQ(view.latencies[2].name, "stage encode");
  EXPECT_TRUE(std::isnan(view.latencies[2].in_flight));
}

TEST(WatchViewTest, AFirstScrapeIsSinceTheServersStart) {
  const WatchView view = ComputeWatchView(nullptr, ScrapeAt(100, 1000));

  EXPECT_TRUE(view.since_start);
  EXPECT_EQ(view.period, absl::Seconds(100));
  EXPECT_EQ(view.models[0].groups_per_second, 10);
}

TEST(WatchViewTest, AServerThatBeganAnewIsSeenFromItsStart) {
  const Scrape older = ScrapeAt(100, 1000);

  const WatchView view = ComputeWatchView(
      &older, ScrapeAt(110, 2000, /*start=*/kServerStart + 105));

  EXPECT_TRUE(view.since_start);
  EXPECT_EQ(view.period, absl::Seconds(5));
  EXPECT_EQ(view.models[0].groups_per_second, 400);
}

TEST(WatchViewTest, WhatIsIdleIsLeftOutUnlessItIsInFlight) {
  const Scrape older = ScrapeAt(100, 1000);

  const WatchView view = ComputeWatchView(&older, ScrapeAt(102, 1000));

  ASSERT_THAT(view.latencies, SizeIs(1));
  EXPECT_EQ(view.latencies[0].name, "PredictDomain");
  EXPECT_TRUE(std::isnan(view.latencies[0].p50));
}

TEST(WatchViewTest, KnowsTheLatestGroupsAndTheirWeights) {
  const WatchView view = ComputeWatchView(nullptr, ScrapeAt(100, 1000));

  ASSERT_THAT(view.groups, SizeIs(2));
  EXPECT_EQ(view.groups[0].name, "new");
  EXPECT_EQ(view.groups[0].model, "birds");
  ASSERT_THAT(view.groups[0].weights, SizeIs(2));
  EXPECT_EQ(view.groups[0].weights[1].name, "b");
  EXPECT_EQ(view.groups[0].weights[1].share, 0.75);
  EXPECT_DOUBLE_EQ(view.groups[0].effective_experts,
                   std::pow(4, 0.25) * std::pow(4 / 3., 0.75));
  EXPECT_EQ(view.groups[1].effective_experts, 1);
}

TEST(RenderWatchViewTest, IsATable) {
  const Scrape older = ScrapeAt(100, 1000);
  const WatchView view = ComputeWatchView(&older, ScrapeAt(102, 1400));

  EXPECT_EQ(
      RenderWatchView(view, "here:8002", {}),
      "ladder-server 0.1.0 at here:8002, up 1 min 42 s, 100 MiB, 7 samples "
      "queued\n"
      "rates and times of the last 2 s, verdicts since its start\n"
      "\n"
      "model  versions  groups/s  samples/s  batch     IN  EDGE  OUT  UNKNOWN\n"
      "birds  3, 4           200     20,000     24  1,400     0    2        0\n"
      "\n"
      "call or stage  in flight  per s      p50      p90      p99  codes per s"
      "\n"
      "PredictDomain          3    300  12.5 ms  18.5 ms  19.9 ms  OK 200, "
      "RESOURCE_EXHAUSTED 100\n"
      "stage queue                 300  12.5 ms  18.5 ms  19.9 ms\n"
      "stage encode                300  12.5 ms  18.5 ms  19.9 ms\n"
      "\n"
      "latest groups  model  experts  weights\n"
      "new            birds     1.75  b ███████▌ 75 %  a ██▌ 25 %\n"
      "old            birds        1  a ██████████ 100 %\n");
}

TEST(RenderWatchViewTest, StaysWithinTheTerminal) {
  const WatchView view = ComputeWatchView(nullptr, ScrapeAt(100, 1000));

  for (size_t columns = 1; columns < 100; columns += 7) {
    for (size_t rows = 1; rows < 20; ++rows) {
      const std::string text = RenderWatchView(
          view, "here:8002", {.columns = columns, .rows = rows});
      const std::vector<std::string> lines = absl::StrSplit(text, '\n');
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) {
        EXPECT_LE(base::TextWidth(line), columns);
      }
    }
  }
}

TEST(RenderWatchViewTest, ShowsAsManyGroupsAsFit) {
  const WatchView view = ComputeWatchView(nullptr, ScrapeAt(100, 1000));
  const auto render = [&](size_t rows) {
    return RenderWatchView(view, "here", {.columns = 80, .rows = rows});
  };

  EXPECT_THAT(render(15), HasSubstr("\nold "));
  EXPECT_THAT(render(14), HasSubstr("\nnew "));
  EXPECT_THAT(render(14), Not(HasSubstr("\nold ")));
  EXPECT_THAT(render(13), Not(HasSubstr("latest groups")));
}

}  // namespace
}  // namespace ladder::client
