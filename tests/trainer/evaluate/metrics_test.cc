#include "trainer/evaluate/metrics.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

using List = std::vector<int64_t>;

// A split of six samples; tests change what they are about.
struct Samples {
  List labels = {0, 0, 0, 1, 1, 2};
  List domains = {0, 0, 0, 0, 0, 0};
  List regions = {-1, -1, -1, -1, -1, -1};
  std::vector<std::string> region_names = {};

  LabelledSplit split() const {
    return {.labels = labels,
            .domains = domains,
            .regions = regions,
            .region_names = region_names,
            .num_classes = 5};
  }
};

TEST(MetricsTest, AccuracyIsTheShareOfCorrectPredictions) {
  const Samples samples;

  const auto metrics =
      ComputeMetrics(samples.split(), List{0, 0, 1, 1, 1, 1}).value();

  EXPECT_DOUBLE_EQ(metrics.accuracy, 4.0 / 6);
}

TEST(MetricsTest, MacroF1IsTheMeanOverTheClassesAmongTheLabels) {
  const Samples samples;

  const auto metrics =
      ComputeMetrics(samples.split(), List{0, 0, 3, 1, 0, 1}).value();

  // Class 0 has precision 2/3 and recall 2/3, class 1 precision 1/2 and recall
  // 1/2, class 2 is never predicted. Class 3 is predicted only and class 4 not
  // there at all: neither counts.
  EXPECT_DOUBLE_EQ(metrics.macro_f1, (2.0 / 3 + 1.0 / 2 + 0.0) / 3);
}

TEST(MetricsTest, RegionsCountAlikeWhateverTheirSize) {
  Samples samples;
  samples.region_names = {"Asia", "Europe"};
  samples.regions = {0, 1, 1, 1, 1, 0};

  const auto metrics =
      ComputeMetrics(samples.split(), List{0, 0, 0, 1, 0, 0}).value();

  EXPECT_THAT(metrics.average_region, Optional((1.0 / 2 + 3.0 / 4) / 2));
  EXPECT_THAT(metrics.worst_region, Optional(1.0 / 2));
}

TEST(MetricsTest, LeavesOutOtherAndRegionsWithoutSamples) {
  Samples samples;
  samples.region_names = {"Asia", "Other", "Africa", "Europe"};
  samples.regions = {0, 1, 1, 3, 3, -1};

  const auto metrics =
      ComputeMetrics(samples.split(), List{0, 4, 4, 1, 0, 4}).value();

  EXPECT_THAT(metrics.average_region, Optional((1.0 + 1.0 / 2) / 2));
  EXPECT_THAT(metrics.worst_region, Optional(1.0 / 2));
}

TEST(MetricsTest, HasNoRegionAccuracyWithoutRegions) {
  Samples samples;
  samples.region_names = {"Other"};
  samples.regions = {0, 0, 0, -1, -1, -1};

  const auto metrics = ComputeMetrics(samples.split(), samples.labels).value();

  EXPECT_EQ(metrics.average_region, std::nullopt);
  EXPECT_EQ(metrics.worst_region, std::nullopt);
}

TEST(MetricsTest, FiltersSmallDomains) {
  Samples samples;
  samples.labels = {0, 0, 0, 0, 0, 0, 0, 0};
  samples.domains = {7, 7, 7, 2, 2, 9, 9, 4};
  samples.regions = List(8, -1);

  const auto metrics =
      ComputeMetrics(samples.split(), List{0, 1, 0, 1, 1, 0, 0, 1},
                     {.min_domain_samples = 2})
          .value();

  EXPECT_THAT(metrics.filtered_average, Optional((2.0 / 3 + 0 + 1) / 3));
  EXPECT_THAT(metrics.filtered_worst, Optional(0));
  EXPECT_THAT(metrics.filtered_zeros, Optional(1));
}

TEST(MetricsTest, TheRawWorstDomainMayBeTheSmallest) {
  Samples samples;
  samples.domains = {3, 3, 3, 3, 3, 1};

  const auto metrics = ComputeMetrics(samples.split(), List{0, 0, 0, 1, 0, 0},
                                      {.min_domain_samples = 2})
                           .value();

  EXPECT_EQ(metrics.raw_worst, 0);
  EXPECT_THAT(metrics.filtered_worst, Optional(4.0 / 5));
  EXPECT_THAT(metrics.filtered_zeros, Optional(0));
}

TEST(MetricsTest, ADomainIsLargeEnoughFromFiftySamplesOn) {
  Samples samples;
  samples.labels = List(99, 0);
  samples.domains = List(99, 0);
  samples.regions = List(99, -1);
  List predicted(99, 0);
  for (size_t i = 50; i < 99; ++i) samples.domains[i] = predicted[i] = 1;

  const auto metrics = ComputeMetrics(samples.split(), predicted).value();

  EXPECT_THAT(metrics.filtered_average, Optional(1));
}

TEST(MetricsTest, HasNoFilteredAccuracyIfEveryDomainIsSmall) {
  const Samples samples;

  const auto metrics = ComputeMetrics(samples.split(), samples.labels).value();

  EXPECT_EQ(metrics.filtered_average, std::nullopt);
  EXPECT_EQ(metrics.filtered_worst, std::nullopt);
  EXPECT_EQ(metrics.filtered_zeros, std::nullopt);
  EXPECT_EQ(metrics.raw_worst, 1);
}

TEST(MetricsTest, LeavesTheDropToWhoeverHasBothSplits) {
  const Samples samples;

  EXPECT_EQ(ComputeMetrics(samples.split(), samples.labels)->drop,
            std::nullopt);
}

TEST(MetricsTest, SplitOfShowsTheSamplesOwnLists) {
  const EncodedSamples samples{
      .labels = {1, 0}, .domains = {4, 5}, .regions = {0, -1}};
  const std::vector<std::string> names = {"Asia"};

  const LabelledSplit split = SplitOf(samples, names, /*num_classes=*/2);

  EXPECT_EQ(split.labels.data(), samples.labels.data());
  EXPECT_EQ(split.domains.data(), samples.domains.data());
  EXPECT_EQ(split.regions.data(), samples.regions.data());
  EXPECT_EQ(split.region_names.data(), names.data());
  EXPECT_EQ(split.num_classes, 2);
}

void ExpectRejected(const Samples& samples, const List& predicted,
                    const std::string& message) {
  const auto metrics = ComputeMetrics(samples.split(), predicted);
  EXPECT_EQ(metrics.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(metrics.status().message(), HasSubstr(message));
}

TEST(MetricsTest, RejectsListsThatDoNotFit) {
  ExpectRejected(Samples{}, {0, 0},
                 "predicted labels: expected one for each of 6 samples, got 2");
  ExpectRejected({.domains = {0}}, List(6, 0),
                 "domains: expected one for each of 6 samples, got 1");
  ExpectRejected({.regions = {}}, List(6, 0),
                 "regions: expected one for each of 6 samples, got 0");
  ExpectRejected({.labels = {}}, {}, "split: expected samples, got none");
}

TEST(MetricsTest, RejectsValuesOutOfRange) {
  ExpectRejected({.labels = {0, 5, 0, 0, 0, 0}}, List(6, 0),
                 "labels: expected 0 to 4, got 5 for sample 1");
  ExpectRejected(Samples{}, {0, 0, -1, 0, 0, 0},
                 "predicted labels: expected 0 to 4, got -1 for sample 2");
  ExpectRejected({.domains = {-1, 0, 0, 0, 0, 0}}, List(6, 0), "domains");
  ExpectRejected({.regions = {0, 0, 0, 0, 0, 0}}, List(6, 0),
                 "regions: expected -1 to -1, got 0 for sample 0");
}

}  // namespace
}  // namespace ladder::trainer
