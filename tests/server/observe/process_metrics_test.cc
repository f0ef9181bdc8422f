#include <cstdio>
#include <fstream>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/server_metrics.h"
#include "tests/server/observe/exposition.h"

namespace ladder::server {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::Le;
using ::testing::Optional;

TEST(ProcessMetricsTest, ReadsResidentPages) {
  EXPECT_EQ(ParseResidentBytes("1000 250 30 1 0 90 0\n", 4096), 250 * 4096.0);
  EXPECT_EQ(ParseResidentBytes("", 4096), std::nullopt);
  EXPECT_EQ(ParseResidentBytes("1000 many", 4096), std::nullopt);
}

TEST(ProcessMetricsTest, ReadsTheStartBehindAnyProgramName) {
  const std::string rest =
      " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 12345 20 21\n";
  EXPECT_EQ(ParseStartAfterBoot("7 (server)" + rest, 100),
            absl::Milliseconds(123'450));
  EXPECT_EQ(ParseStartAfterBoot("7 (a) b (c)" + rest, 100),
            absl::Milliseconds(123'450));
  EXPECT_EQ(ParseStartAfterBoot("7 (server) S 1", 100), std::nullopt);
  EXPECT_EQ(ParseStartAfterBoot("", 100), std::nullopt);
}

TEST(ProcessMetricsTest, ShowsThisProcess) {
  const ScrapedMetrics e = Scrape(ProcessMetrics());

  EXPECT_THAT(e.Find("ladder_process_resident_memory_bytes", {}),
              Optional(Gt(1e5)));
  EXPECT_THAT(e.Find("ladder_process_cpu_seconds_total", {}), Optional(Gt(0)));
  EXPECT_THAT(e.Find("ladder_process_max_fds", {}), Optional(Gt(3)));
  EXPECT_THAT(
      e.Find("ladder_process_start_time_seconds", {}),
      Optional(AllOf(
          Gt(1.6e9),
          Le(absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()) + 1))));
}

TEST(ProcessMetricsTest, CountsOpenFiles) {
  const auto before =
      Scrape(ProcessMetrics()).Find("ladder_process_open_fds", {});

  std::vector<std::ifstream> files;
  for (int i = 0; i < 3; ++i) files.emplace_back("/proc/self/stat");

  ASSERT_TRUE(before);
  EXPECT_EQ(Scrape(ProcessMetrics()).Find("ladder_process_open_fds", {}),
            *before + 3);
}

TEST(ProcessMetricsTest, ShowsTheBuild) {
  ScrapedMetrics e = Scrape(ProcessMetrics());

  const auto& builds =
      e.families["ladder_build_info"].samples["ladder_build_info"];
  ASSERT_EQ(builds.size(), 1u);
  EXPECT_NE(builds.begin()->first.at("version"), "");
  EXPECT_EQ(builds.begin()->second, 1);
}

}  // namespace
}  // namespace ladder::server
