#include <cmath>
#include <vector>

#include "client/command/load/run_load.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

std::vector<double> Gaps(double rate, uint64_t seed, size_t count) {
  ArrivalSchedule schedule(rate, seed);
  std::vector<double> gaps;
  double last = 0;
  for (size_t i = 0; i < count; ++i) {
    const double next = absl::ToDoubleSeconds(schedule.Next());
    gaps.push_back(next - last);
    last = next;
  }
  return gaps;
}

TEST(ArrivalScheduleTest, GapsAreExponential) {
  constexpr size_t kCount = 100'000;
  const std::vector<double> gaps = Gaps(/*rate=*/50, /*seed=*/1, kCount);

  double mean = 0;
  double longer = 0;  // Than the mean: e^-1 of them.
  for (const double gap : gaps) {
    EXPECT_GE(gap, 0);
    mean += gap / kCount;
    longer += gap > 1.0 / 50 ? 1.0 / kCount : 0;
  }

  // Five standard errors.
  EXPECT_NEAR(mean, 1.0 / 50, 5 / (50 * std::sqrt(kCount)));
  EXPECT_NEAR(longer, std::exp(-1), 5 * std::sqrt(0.2325 / kCount));
}

TEST(ArrivalScheduleTest, DependsOnTheSeedOnly) {
  EXPECT_EQ(Gaps(50, /*seed=*/3, 10), Gaps(50, /*seed=*/3, 10));
  EXPECT_NE(Gaps(50, /*seed=*/3, 10), Gaps(50, /*seed=*/4, 10));
}

}  // namespace
}  // namespace ladder::client
