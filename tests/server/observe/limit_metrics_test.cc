#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

TEST(LimitMetricsTest, ShowWhatIsInUseBesideEachLimit) {
  const Exposition e = Scrape(
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

}  // namespace
}  // namespace ladder::server
