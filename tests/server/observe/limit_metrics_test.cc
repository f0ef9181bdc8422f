#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/http_endpoint.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

using ::testing::HasSubstr;

TEST(LimitMetricsTest, ShowWhatIsInUseBesideEachLimit) {
  const ScrapedMetrics e = Scrape(
      LimitMetrics({.queued_samples = {.used = 12, .limit = 16384},
                    .admitted_requests = {.used = 3, .limit = 256},
                    .in_flight_bytes = {.used = 5000, .limit = 1 << 30}}));

  EXPECT_EQ(e.Find("ladder_queue_depth_samples", {}), 12);
  EXPECT_EQ(e.Find("ladder_queue_limit_samples", {}), 16384);
  EXPECT_EQ(e.Find("ladder_admitted_requests", {}), 3);
  EXPECT_EQ(e.Find("ladder_admitted_limit_requests", {}), 256);
  EXPECT_EQ(e.Find("ladder_in_flight_bytes", {}), 5000);
  EXPECT_EQ(e.Find("ladder_in_flight_limit_bytes", {}), 1 << 30);
}

TEST(LimitMetricsTest, ReadWhatIsInUseWhenTheyAreScraped) {
  uint64_t depth = 1;
  const HttpPages pages = {.metrics = [&depth] {
    return LimitMetrics({.queued_samples = {.used = depth}});
  }};
  EXPECT_THAT(AnswerHttp(pages, "GET", "/metrics").body,
              HasSubstr("\nladder_queue_depth_samples 1\n"));

  depth = 5;

  EXPECT_THAT(AnswerHttp(pages, "GET", "/metrics").body,
              HasSubstr("\nladder_queue_depth_samples 5\n"));
}

}  // namespace
}  // namespace ladder::server
