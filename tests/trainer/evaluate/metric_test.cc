#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/evaluate/metrics.h"

namespace ladder::trainer {
namespace {

using ::testing::Optional;

TEST(MetricTest, EveryMetricShowsItsOwnField) {
  const Metrics metrics{.accuracy = 1,
                        .macro_f1 = 2,
                        .average_region = 3,
                        .worst_region = 4,
                        .drop = 5,
                        .filtered_average = 6,
                        .filtered_worst = 7,
                        .filtered_zeros = 8,
                        .raw_worst = 9};
  const auto value = [&](Metric metric) {
    return InfoOf(metric).value(metrics);
  };

  EXPECT_THAT(value(Metric::kAccuracy), Optional(1));
  EXPECT_THAT(value(Metric::kMacroF1), Optional(2));
  EXPECT_THAT(value(Metric::kAverageRegion), Optional(3));
  EXPECT_THAT(value(Metric::kWorstRegion), Optional(4));
  EXPECT_THAT(value(Metric::kDrop), Optional(5));
  EXPECT_THAT(value(Metric::kFilteredAverage), Optional(6));
  EXPECT_THAT(value(Metric::kFilteredWorst), Optional(7));
  EXPECT_THAT(value(Metric::kFilteredZeros), Optional(8));
  EXPECT_THAT(value(Metric::kRawWorst), Optional(9));
}

TEST(MetricTest, FieldsThatAreNotThereHaveNoValue) {
  const Metrics metrics;

  EXPECT_EQ(InfoOf(Metric::kDrop).value(metrics), std::nullopt);
  EXPECT_EQ(InfoOf(Metric::kWorstRegion).value(metrics), std::nullopt);
}

TEST(MetricTest, AllMetricsHaveNamesOfTheirOwn) {
  std::set<std::string> keys;
  std::set<std::string> titles;
  for (const Metric metric : kAllMetrics) {
    keys.emplace(InfoOf(metric).key);
    titles.emplace(InfoOf(metric).title);
  }

  EXPECT_EQ(keys.size(), std::size(kAllMetrics));
  EXPECT_EQ(titles.size(), std::size(kAllMetrics));
}

TEST(MetricTest, OnlyTheNumberOfZerosIsACount) {
  for (const Metric metric : kAllMetrics) {
    EXPECT_EQ(InfoOf(metric).is_share, metric != Metric::kFilteredZeros);
  }
}

}  // namespace
}  // namespace ladder::trainer
