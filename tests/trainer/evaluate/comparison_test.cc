#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A method with these accuracies for the seeds `first_seed`, `first_seed` + 1,
// and so on.
MethodSummary Accuracies(const std::string& method, uint64_t first_seed,
                         const std::vector<double>& values) {
  std::vector<SeedResult> results;
  for (size_t i = 0; i < values.size(); ++i) {
    results.push_back({.method = method,
                       .seed = first_seed + i,
                       .metrics = {.accuracy = values[i]}});
  }
  return Summarize(results).value().front();
}

PairedDifference AccuracyDifference(const std::vector<double>& differences) {
  const std::vector<double> zeros(differences.size(), 0);
  return Compare(Accuracies("LADDER-group", 0, differences),
                 Accuracies("SampleGate-group", 0, zeros))
      ->metrics.at(Metric::kAccuracy);
}

TEST(ComparisonTest, IsTheMeanOfTheFirstMinusTheSecond) {
  const auto comparison =
      Compare(Accuracies("LADDER-group", 0, {0.5, 0.75, 1}),
              Accuracies("SampleGate-group", 0, {0.25, 0.75, 0.25}))
          .value();

  EXPECT_EQ(comparison.first, "LADDER-group");
  EXPECT_EQ(comparison.second, "SampleGate-group");
  EXPECT_THAT(comparison.seeds, ElementsAre(0, 1, 2));
  EXPECT_DOUBLE_EQ(comparison.metrics.at(Metric::kAccuracy).mean,
                   (0.25 + 0 + 0.75) / 3);
}

TEST(ComparisonTest, OfEqualDifferencesTheIntervalIsThatDifference) {
  const PairedDifference difference =
      AccuracyDifference({0.1, 0.1, 0.1, 0.1, 0.1});

  EXPECT_DOUBLE_EQ(difference.mean, 0.1);
  ASSERT_TRUE(difference.interval.has_value());
  EXPECT_EQ(difference.interval->low, difference.mean);
  EXPECT_EQ(difference.interval->high, difference.mean);
}

TEST(ComparisonTest, IntervalHasTheBinomialsPercentiles) {
  // The mean of a resample is how often, of five times, it takes the 5: a
  // binomial of p = 1/5, of which 33 % lie at 0, 94 % up to 2 and 99 % up to 3.
  const PairedDifference difference = AccuracyDifference({0, 0, 5, 0, 0});

  EXPECT_DOUBLE_EQ(difference.mean, 1);
  ASSERT_TRUE(difference.interval.has_value());
  EXPECT_DOUBLE_EQ(difference.interval->low, 0);
  EXPECT_DOUBLE_EQ(difference.interval->high, 3);
}

TEST(ComparisonTest, IntervalApproachesTheNormalOne) {
  // Of 200 differences -1 and 200 of +1 the mean has a standard error of 1/20.
  std::vector<double> differences(400, 1);
  for (size_t i = 0; i < 200; ++i) differences[i] = -1;

  const PairedDifference difference = AccuracyDifference(differences);

  ASSERT_TRUE(difference.interval.has_value());
  EXPECT_NEAR(difference.interval->low, -1.96 / 20, 0.006);
  EXPECT_NEAR(difference.interval->high, 1.96 / 20, 0.006);
}

TEST(ComparisonTest, PairsTheSeedsThatBothHave) {
  const auto comparison =
      Compare(Accuracies("ERM", /*first_seed=*/3, {0.5, 0.25, 1}),
              Accuracies("IRM", /*first_seed=*/4, {0.25, 0.5, 0.75}))
          .value();

  EXPECT_THAT(comparison.seeds, ElementsAre(4, 5));
  EXPECT_DOUBLE_EQ(comparison.metrics.at(Metric::kAccuracy).mean,
                   ((0.25 - 0.25) + (1 - 0.5)) / 2);
}

TEST(ComparisonTest, OneSeedHasNoInterval) {
  const PairedDifference difference = AccuracyDifference({0.25});

  EXPECT_EQ(difference.mean, 0.25);
  EXPECT_EQ(difference.interval, std::nullopt);
}

TEST(ComparisonTest, LeavesOutMetricsThatOneMethodLacks) {
  const SeedResult with_drop{.method = "ERM", .metrics = {.drop = 0.1}};
  const SeedResult without{.method = "IRM"};

  const auto comparison =
      Compare(Summarize(std::vector{with_drop}).value().front(),
              Summarize(std::vector{without}).value().front())
          .value();

  EXPECT_EQ(comparison.metrics.count(Metric::kDrop), 0);
  EXPECT_EQ(comparison.metrics.count(Metric::kMacroF1), 1);
}

TEST(ComparisonTest, RejectsMethodsWithoutACommonSeed) {
  const auto comparison =
      Compare(Accuracies("ERM", 0, {0, 0}), Accuracies("IRM", 2, {0}));

  EXPECT_EQ(comparison.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(comparison.status().message(),
              HasSubstr("expected a seed in common, got 0, 1 of ERM and 2 of "
                        "IRM"));
}

}  // namespace
}  // namespace ladder::trainer
