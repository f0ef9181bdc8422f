#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/charts/plot_frame.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::base {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> Labels(const Range& range, int max_count = 8) {
  std::vector<std::string> labels;
  for (const Tick& tick : RoundTicks(range, max_count)) {
    labels.push_back(tick.label);
  }
  return labels;
}

TEST(RoundTicksTest, AreRoundNumbers) {
  EXPECT_THAT(Labels({0, 1}),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(Labels({-0.07, 0.13}),
              ElementsAre("-0.05", "0.00", "0.05", "0.10"));
  EXPECT_THAT(Labels({37, 56}), ElementsAre("40", "45", "50", "55"));
  EXPECT_THAT(Labels({0.9, 10.1}, 12),
              ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(Labels({0, 0.00004}),
              ElementsAre("0", "1e-05", "2e-05", "3e-05", "4e-05"));
  EXPECT_THAT(Labels({0, 3e6}), ElementsAre("0", "500000", "1000000", "1500000",
                                            "2000000", "2500000", "3000000"));
}

TEST(RoundTicksTest, LieInTheRangeAndAreFewWhateverItsScale) {
  for (int exponent = -24; exponent <= 24; ++exponent) {
    const double scale = std::pow(3.7, exponent);
    for (const Range& unit : {Range{0, 1}, Range{-3, 4}, Range{1.01, 1.09}}) {
      const Range range = {unit.low * scale, unit.high * scale};
      const std::vector<Tick> ticks = RoundTicks(range, 8);

      ASSERT_GE(ticks.size(), 3u) << scale;
      ASSERT_LE(ticks.size(), 8u) << scale;
      const double slack = 1e-6 * (range.high - range.low);
      ASSERT_GE(ticks.front().value, range.low - slack);
      ASSERT_LE(ticks.back().value, range.high + slack);
      for (const Tick& tick : ticks) {
        double read = 0;
        ASSERT_TRUE(absl::SimpleAtod(tick.label, &read));
        ASSERT_NEAR(read, tick.value, slack);
      }
    }
  }
}

TEST(PaddedRangeTest, LeavesSomeRoomAroundTheValues) {
  const Range range = PaddedRange(std::vector<double>{2, 12, 7});

  EXPECT_DOUBLE_EQ(range.low, 1.5);
  EXPECT_DOUBLE_EQ(range.high, 12.5);
}

TEST(PaddedRangeTest, IsNeverEmpty) {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0}, {5, 5}, {-1e9, -1e9}, {1e-9}}) {
    const Range range = PaddedRange(values);

    EXPECT_LT(range.low, range.high);
    for (const double value : values) {
      EXPECT_LT(range.low, value);
      EXPECT_GT(range.high, value);
    }
  }
}

TEST(PaddedRangeTest, IgnoresWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();

  const Range range =
      PaddedRange(std::vector<double>{0, infinity, 10, std::nan("")});

  EXPECT_DOUBLE_EQ(range.low, -0.5);
  EXPECT_DOUBLE_EQ(range.high, 10.5);
}

}  // namespace
}  // namespace ladder::base
