#include "base/text/quantities.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "routing/counter_rng.h"

namespace ladder::base {
namespace {

TEST(QuantitiesTest, CountsHaveThousands) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(12'300), "12,300");
  EXPECT_EQ(CountText(1'000'000), "1,000,000");
  EXPECT_EQ(CountText(std::numeric_limits<uint64_t>::max()),
            "18,446,744,073,709,551,615");
}

TEST(QuantitiesTest, NumbersHaveThreeDigits) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(0.00321), "0.003");
  EXPECT_EQ(NumberText(0.2504), "0.25");
  EXPECT_EQ(NumberText(12.345), "12.3");
  EXPECT_EQ(NumberText(999.4), "999");
  EXPECT_EQ(NumberText(999.6), "1,000");
  EXPECT_EQ(NumberText(12'300.4), "12,300");
  EXPECT_EQ(NumberText(-12.345), "-12.3");
  EXPECT_EQ(NumberText(std::nan("")), "-");
}

TEST(QuantitiesTest, DurationsUseTheUnitsOfTheirSize) {
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0 s");
  EXPECT_EQ(DurationText(absl::Seconds(-3)), "0 s");
  EXPECT_EQ(DurationText(absl::Microseconds(312)), "0.312 ms");
  EXPECT_EQ(DurationText(absl::Microseconds(12'345)), "12.3 ms");
  EXPECT_EQ(DurationText(absl::Microseconds(999'600)), "1 s");
  EXPECT_EQ(DurationText(absl::Milliseconds(1240)), "1.24 s");
  EXPECT_EQ(DurationText(absl::Milliseconds(59'990)), "1 min");
  EXPECT_EQ(DurationText(absl::Seconds(80)), "1 min 20 s");
  EXPECT_EQ(DurationText(absl::Minutes(125)), "2 h 5 min");
  EXPECT_EQ(DurationText(absl::Hours(76)), "3 d 4 h");
  EXPECT_EQ(DurationText(absl::InfiniteDuration()), "-");
}

TEST(QuantitiesTest, BytesUseTheUnitsOfTheirSize) {
  EXPECT_EQ(BytesText(12), "12 B");
  EXPECT_EQ(BytesText(57'847'808), "55.2 MiB");
  EXPECT_EQ(BytesText(1023), "0.999 KiB");
}

TEST(QuantitiesTest, FloatsReadBackToTheSameBits) {
  const routing::CounterRng rng(/*seed=*/5);
  for (uint64_t i = 0; i < 20000; ++i) {
    const auto number =
        std::bit_cast<float>(static_cast<uint32_t>(rng.Bits(i)));
    if (!std::isfinite(number)) continue;
    const std::string text = ShortestText(number);
    EXPECT_EQ(std::bit_cast<uint32_t>(std::strtof(text.c_str(), nullptr)),
              std::bit_cast<uint32_t>(number))
        << text;
  }
}

TEST(QuantitiesTest, WritesShortNumbersShort) {
  EXPECT_EQ(ShortestText(0.1f), "0.1");
  EXPECT_EQ(ShortestText(0.1), "0.1");
}

}  // namespace
}  // namespace ladder::base
