#include "client/command/load/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "routing/counter_rng.h"

namespace ladder::client {
namespace {

constexpr double kBound = LatencyHistogram::kMaxRelativeError;

// The smallest value that at least a share `q` of all does not exceed.
int64_t ExactQuantile(std::vector<int64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

TEST(LatencyHistogramTest, QuantilesAreWithinTheBoundOfExactOnes) {
  const routing::CounterRng rng(7);
  LatencyHistogram histogram;
  std::vector<int64_t> values;
  for (uint64_t i = 0; i < 20'000; ++i) {
    // The values go from nanoseconds to minutes, as many in each power of two.
    const auto value =
        static_cast<int64_t>(rng.Bits(i) >> rng.Below(36, ~i) >> 27);
    values.push_back(value);
    histogram.Record(absl::Nanoseconds(value));
  }

  EXPECT_EQ(histogram.count(), 20'000);
  for (const double q : {0.0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    const auto exact = static_cast<double>(ExactQuantile(values, q));
    EXPECT_NEAR(absl::ToDoubleNanoseconds(histogram.Quantile(q)), exact,
                exact * kBound)
        << q;
  }
  EXPECT_EQ(histogram.Quantile(1), absl::Nanoseconds(ExactQuantile(values, 1)));
}

TEST(LatencyHistogramTest, EveryValueIsWithinTheBound) {
  for (int shift = 0; shift < 63; ++shift) {
    for (const int64_t offset : {-1, 0, 1}) {
      const int64_t value = (int64_t{1} << shift) + offset;
      LatencyHistogram histogram;
      histogram.Record(absl::Nanoseconds(value));
      histogram.Record(absl::InfiniteDuration());  // So that it is not the max.

      const double found = absl::ToDoubleNanoseconds(histogram.Quantile(0.5));

      EXPECT_NEAR(found, static_cast<double>(value),
                  static_cast<double>(value) * kBound);
    }
  }
}

TEST(LatencyHistogramTest, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 200; ++i) histogram.Record(absl::Nanoseconds(i));

  EXPECT_EQ(histogram.Quantile(0.5), absl::Nanoseconds(100));
  EXPECT_EQ(histogram.Quantile(0.99), absl::Nanoseconds(198));
  EXPECT_EQ(histogram.Max(), absl::Nanoseconds(200));
  EXPECT_EQ(histogram.Mean(), absl::Nanoseconds(100.5));
}

TEST(LatencyHistogramTest, IsZeroWithoutDurations) {
  const LatencyHistogram histogram;

  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.Quantile(0.5), absl::ZeroDuration());
  EXPECT_EQ(histogram.Max(), absl::ZeroDuration());
  EXPECT_EQ(histogram.Mean(), absl::ZeroDuration());
}

TEST(LatencyHistogramTest, NegativeDurationsCountAsZero) {
  LatencyHistogram histogram;
  histogram.Record(absl::Seconds(-1));

  EXPECT_EQ(histogram.count(), 1);
  EXPECT_EQ(histogram.Quantile(1), absl::ZeroDuration());
}

}  // namespace
}  // namespace ladder::client
