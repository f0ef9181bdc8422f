#include <cmath>

#include "client/command/watch/exposition.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

// 2 up to 1, 6 more up to 2, 2 more up to 4.
MetricHistogram TenObservations() {
  return {.labels = {},
          .buckets = {{1, 2}, {2, 8}, {4, 10}, {INFINITY, 10}},
          .sum = 17,
          .count = 10};
}

TEST(HistogramQuantileTest, DrawsStraightLinesWithinBuckets) {
  const MetricHistogram histogram = TenObservations();

  EXPECT_DOUBLE_EQ(HistogramQuantile(0.1, histogram), 0.5);
  EXPECT_DOUBLE_EQ(HistogramQuantile(0.2, histogram), 1);
  EXPECT_DOUBLE_EQ(HistogramQuantile(0.5, histogram), 1.5);
  EXPECT_DOUBLE_EQ(HistogramQuantile(0.9, histogram), 3);
  EXPECT_DOUBLE_EQ(HistogramQuantile(1, histogram), 4);
}

TEST(HistogramQuantileTest, TheLastBucketIsWorthItsLowerBound) {
  EXPECT_EQ(HistogramQuantile(0.9, {.labels = {},
                                    .buckets = {{1, 1}, {INFINITY, 10}},
                                    .sum = 0,
                                    .count = 10}),
            1);
}

TEST(HistogramQuantileTest, PassesOverEmptyBuckets) {
  EXPECT_EQ(HistogramQuantile(0, {.labels = {},
                                  .buckets = {{1, 0}, {2, 5}, {INFINITY, 5}},
                                  .sum = 0,
                                  .count = 5}),
            0);
}

TEST(HistogramQuantileTest, AFirstBucketWithoutRoomIsWorthItsBound) {
  EXPECT_EQ(HistogramQuantile(0.1, {.labels = {},
                                    .buckets = {{0, 5}, {1, 9}, {INFINITY, 9}},
                                    .sum = 0,
                                    .count = 9}),
            0);
}

TEST(HistogramQuantileTest, IsNotANumberWithoutObservations) {
  EXPECT_TRUE(std::isnan(HistogramQuantile(0.5, {})));
  EXPECT_TRUE(
      std::isnan(HistogramQuantile(0.5, {.labels = {},
                                         .buckets = {{1, 0}, {INFINITY, 0}},
                                         .sum = 0,
                                         .count = 0})));
  EXPECT_TRUE(std::isnan(HistogramQuantile(
      0.5, {.labels = {}, .buckets = {{1, 1}, {2, 3}}, .sum = 3, .count = 3})));
  EXPECT_TRUE(std::isnan(HistogramMean({})));
}

TEST(HistogramIncreaseTest, IsWhatCameBetweenTwoScrapes) {
  MetricHistogram newer = TenObservations();
  newer.buckets[2].count += 3;
  newer.buckets[3].count += 3;
  newer.count += 3;
  newer.sum += 9;

  const MetricHistogram increase = HistogramIncrease(newer, TenObservations());

  EXPECT_EQ(increase.count, 3);
  EXPECT_EQ(HistogramMean(increase), 3);
  EXPECT_EQ(increase.buckets[1].count, 0);
  EXPECT_EQ(increase.buckets[2].count, 3);
}

TEST(HistogramIncreaseTest, AServerThatBeganAnewStartsFromZero) {
  MetricHistogram newer = TenObservations();
  newer.buckets[0].count = 1;

  EXPECT_EQ(HistogramIncrease(newer, TenObservations()).count, 10);
  EXPECT_EQ(HistogramIncrease(TenObservations(), {}).count, 10);
}

}  // namespace
}  // namespace ladder::client
