#include "trainer/evaluate/seed_results.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SeedResult Result(const std::string& method, uint64_t seed, double accuracy) {
  return {.method = method, .seed = seed, .metrics = {.accuracy = accuracy}};
}

TEST(SeedResultsTest, SummarizesByMeanAndSampleDeviation) {
  const std::vector<SeedResult> results = {
      Result("ERM", 0, 0.25), Result("ERM", 1, 0.5), Result("ERM", 2, 0.75)};

  const auto summaries = Summarize(results).value();

  ASSERT_EQ(summaries.size(), 1);
  const Spread& accuracy = summaries[0].metrics.at(Metric::kAccuracy);
  EXPECT_DOUBLE_EQ(accuracy.mean, 0.5);
  ASSERT_TRUE(accuracy.sd.has_value());
  EXPECT_DOUBLE_EQ(*accuracy.sd, 0.25);  // sqrt((1/16 + 0 + 1/16) / 2)
}

TEST(SeedResultsTest, OneSeedHasNoDeviation) {
  const auto summaries = Summarize(std::vector{Result("ERM", 7, 0.5)}).value();

  ASSERT_EQ(summaries.size(), 1);
  const Spread& accuracy = summaries[0].metrics.at(Metric::kAccuracy);
  EXPECT_EQ(accuracy.mean, 0.5);
  EXPECT_EQ(accuracy.sd, std::nullopt);
}

TEST(SeedResultsTest, ValuesFollowTheSeeds) {
  const std::vector<SeedResult> results = {
      Result("ERM", 9, 0.75), Result("RDM", 5, 1), Result("ERM", 4, 0.25)};

  const auto summaries = Summarize(results).value();

  EXPECT_THAT(summaries[0].seeds, ElementsAre(4, 9));
  EXPECT_THAT(summaries[0].metrics.at(Metric::kAccuracy).values,
              ElementsAre(0.25, 0.75));
  EXPECT_THAT(summaries[1].seeds, ElementsAre(5));
}

TEST(SeedResultsTest, MethodsComeInTheOrderOfThePaper) {
  std::vector<SeedResult> results;
  for (const char* method :
       {"K=2 tau=1", "LADDER-group", "K=10 tau=1", "SampleGate-group",
        "SampleGate", "LADDER-split", "NearestExpert", "UniformExperts", "RDM",
        "DSNR", "EQRM", "IRM", "ERM"}) {
    results.push_back(Result(method, 0, 0));
  }

  const auto summaries = Summarize(results).value();

  std::vector<std::string> methods;
  for (const MethodSummary& summary : summaries) {
    methods.push_back(summary.method);
  }

  EXPECT_THAT(
      methods,
      ElementsAre("ERM", "IRM", "EQRM", "DSNR", "RDM", "UniformExperts",
                  "NearestExpert", "SampleGate", "SampleGate-group",
                  "LADDER-split", "LADDER-group", "K=2 tau=1", "K=10 tau=1"));
}

TEST(SeedResultsTest, LeavesOutMetricsThatASeedLacks) {
  std::vector<SeedResult> results = {Result("ERM", 0, 0.5),
                                     Result("ERM", 1, 0.5)};
  results[0].metrics.drop = 0.1;
  results[0].metrics.worst_region = 0.2;
  results[1].metrics.worst_region = 0.4;

  const auto summaries = Summarize(results).value();

  EXPECT_EQ(summaries[0].metrics.count(Metric::kDrop), 0);
  EXPECT_EQ(summaries[0].metrics.count(Metric::kAverageRegion), 0);
  EXPECT_DOUBLE_EQ(summaries[0].metrics.at(Metric::kWorstRegion).mean, 0.3);
}

TEST(SeedResultsTest, RejectsASeedThatComesTwice) {
  const auto summaries = Summarize(std::vector{
      Result("ERM", 3, 0.5), Result("IRM", 3, 0.5), Result("ERM", 3, 0.5)});

  EXPECT_EQ(summaries.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(summaries.status().message(),
              HasSubstr("results of ERM: expected one per seed, got two of "
                        "seed 3"));
}

TEST(SeedResultsTest, NoResultsMakeNoSummary) {
  EXPECT_THAT(Summarize({}).value(), IsEmpty());
}

}  // namespace
}  // namespace ladder::trainer
