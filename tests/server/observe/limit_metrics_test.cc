#include <cstdint>

#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

TEST(LimitMetricsTest, ShowWhatIsInUseBesideEachLimit) {
  const LimitMetrics metrics(
      {.queued_samples = {.used = [] { return 12; }, .limit = 16384},
       .admitted_requests = {.used = [] { return 3; }, .limit = 256},
       .in_flight_bytes = {.used = [] { return 5000; }, .limit = 1 << 30}});

  const Exposition e = Scrape({&metrics});

  EXPECT_EQ(e.Find("ladder_queue_depth_samples", {}), 12);
  EXPECT_EQ(e.Find("ladder_queue_limit_samples", {}), 16384);
  EXPECT_EQ(e.Find("ladder_admitted_requests", {}), 3);
  EXPECT_EQ(e.Find("ladder_admitted_limit_requests", {}), 256);
  EXPECT_EQ(e.Find("ladder_in_flight_bytes", {}), 5000);
  EXPECT_EQ(e.Find("ladder_in_flight_limit_bytes", {}), 1 << 30);
}

TEST(LimitMetricsTest, ReadWhatIsInUseWhenTheyAreScraped) {
  uint64_t depth = 1;
  const auto zero = [] { return 0; };
  const LimitMetrics metrics(
      {.queued_samples = {.used = [&depth] { return depth; }},
       .admitted_requests = {.used = zero},
       .in_flight_bytes = {.used = zero}});
  EXPECT_EQ(Scrape({&metrics}).Find("ladder_queue_depth_samples", {}), 1);

  depth = 5;

  EXPECT_EQ(Scrape({&metrics}).Find("ladder_queue_depth_samples", {}), 5);
}

}  // namespace
}  // namespace ladder::server
