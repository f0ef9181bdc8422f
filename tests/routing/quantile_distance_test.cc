#include "routing/quantile_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNoMean[] = {0, 0, 0};

QuantileDistance DistanceTo(const std::vector<Cloud>& sources) {
  return QuantileDistance::Create(Views(sources)).value();
}

std::vector<double> DistancesToAll(const QuantileDistance& distance,
                                   const MatrixView& target,
                                   const Execution& execution = {}) {
  std::vector<size_t> sources(distance.num_sources());
  std::iota(sources.begin(), sources.end(), size_t{0});
  std::vector<double> distances(sources.size());
  EXPECT_TRUE(distance.Compute(target, sources, distances, execution).ok());
  return distances;
}

double DistanceBetween(const Cloud& source, const Cloud& target) {
  return DistancesToAll(DistanceTo({source}), target.View())[0];
}

// The definition, word for word and in another order than the class: level by
// level, each column sorted anew, as numpy.quantile would give it.
double NaiveDistance(const Cloud& source, const Cloud& target) {
  const size_t m = std::min({size_t{256}, source.rows, target.rows});
  const auto quantile = [](const Cloud& cloud, size_t column, double level) {
    std::vector<double> values;
    for (size_t i = 0; i < cloud.rows; ++i) {
      values.push_back(cloud.values[i * cloud.cols + column]);
    }
    std::sort(values.begin(), values.end());
    const double h = level * static_cast<double>(values.size() - 1);
    const double low = values[static_cast<size_t>(std::floor(h))];
    const double high = values[static_cast<size_t>(std::ceil(h))];
    return low + (h - std::floor(h)) * (high - low);
  };
  double distance = 0;
  for (size_t i = 0; i < m; ++i) {
    const double level =
        (static_cast<double>(i) + 0.5) / static_cast<double>(m);
    for (size_t j = 0; j < source.cols; ++j) {
      const double gap =
          quantile(source, j, level) - quantile(target, j, level);
      distance += gap * gap / static_cast<double>(m);
    }
  }
  return distance;
}

std::string CreateError(std::span<const MatrixView> sources,
                        size_t max_levels = 256) {
  const auto distance = QuantileDistance::Create(sources, max_levels);
  EXPECT_EQ(distance.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(distance.status().message());
}

TEST(QuantileDistanceTest, ComparesTheQuantilesOfTwoSmallColumns) {
  // Levels 1/4 and 3/4 of {0, 4} are 1 and 3; of {1, 9} they are 3 and 7.
  const double distance = DistanceBetween(Column({0, 4}), Column({9, 1}));

  EXPECT_DOUBLE_EQ(distance, (2.0 * 2 + 4.0 * 4) / 2);
}

TEST(QuantileDistanceTest, UsesAsManyLevelsAsTheSmallerCloudHasRows) {
  // Levels 1/4 and 3/4 of {0, 1, 2, 3, 10} are 1 and 3; of {0, 2}, 0.5 and 1.5.
  const Cloud five = Column({3, 10, 0, 2, 1});
  const Cloud two = Column({0, 2});

  EXPECT_DOUBLE_EQ(DistanceBetween(five, two), (0.25 + 2.25) / 2);
  EXPECT_DOUBLE_EQ(DistanceBetween(two, five), (0.25 + 2.25) / 2);
}

TEST(QuantileDistanceTest, ComparesMediansWhenOneCloudIsASingleRow) {
  EXPECT_DOUBLE_EQ(DistanceBetween(Column({1, 2, 6}), Column({5})), 9);
  EXPECT_DOUBLE_EQ(DistanceBetween(Column({7}), Column({5})), 4);
}

TEST(QuantileDistanceTest, UsesNoMoreLevelsThanAllowed) {
  const std::vector<Cloud> source = {Column({0, 0, 3, 100})};
  const auto medians = QuantileDistance::Create(Views(source), 1).value();

  EXPECT_DOUBLE_EQ(DistancesToAll(medians, Column({1, 1, 1}).View())[0], 0.25);
}

TEST(QuantileDistanceTest, CountsDuplicatesAsOftenAsTheyOccur) {
  // Levels 1/6, 1/2, 5/6 of {0, 0, 3} are 0, 0, 2; of {0, 3, 3}, 1, 3, 3.
  EXPECT_DOUBLE_EQ(DistanceBetween(Column({0, 3, 0}), Column({3, 0, 3})),
                   (1.0 + 9 + 1) / 3);
}

TEST(QuantileDistanceTest, IsZeroFromACloudToItself) {
  const Cloud cloud = NormalCloud(700, kNoMean, 1, /*seed=*/1);

  EXPECT_EQ(DistanceBetween(cloud, cloud), 0);
}

TEST(QuantileDistanceTest, GrowsBySquaredShiftInEveryCoordinate) {
  const Cloud cloud = NormalCloud(300, kNoMean, 1, /*seed=*/2);
  Cloud shifted = cloud;
  for (float& value : shifted.values) value += 2;

  EXPECT_NEAR(DistanceBetween(cloud, shifted), 3 * 2.0 * 2.0, 1e-5);
}

TEST(QuantileDistanceTest, IgnoresTheOrderOfRows) {
  const Cloud source = NormalCloud(90, kNoMean, 1, /*seed=*/3);
  const Cloud target = NormalCloud(50, kNoMean, 2, /*seed=*/4);
  Cloud reversed{.rows = target.rows, .cols = target.cols};
  for (size_t i = target.rows; i-- > 0;) {
    const auto row = target.View().Row(i);
    reversed.values.insert(reversed.values.end(), row.begin(), row.end());
  }

  EXPECT_EQ(DistanceBetween(source, target), DistanceBetween(source, reversed));
}

TEST(QuantileDistanceTest, AgreesWithTheDefinitionForUnequalSizes) {
  for (const size_t source_rows : {1, 5, 257, 600}) {
    for (const size_t target_rows : {1, 2, 256, 601}) {
      const Cloud source = NormalCloud(source_rows, kNoMean, 1, /*seed=*/5);
      const Cloud target = NormalCloud(target_rows, kNoMean, 3, /*seed=*/6);

      const double expected = NaiveDistance(source, target);
      EXPECT_NEAR(DistanceBetween(source, target), expected, 1e-12 * expected)
          << source_rows << " against " << target_rows << " rows";
    }
  }
}

TEST(QuantileDistanceTest, AnswersForTheAskedSourcesInTheAskedOrder) {
  const auto distance =
      DistanceTo({Column({0}), Column({1}), Column({2}), Column({3})});
  const std::vector<size_t> asked = {3, 1, 3};
  std::vector<double> distances(asked.size());

  ASSERT_TRUE(distance.Compute(Column({0}).View(), asked, distances, {}).ok());

  EXPECT_THAT(distances, ElementsAre(9, 1, 9));
}

TEST(QuantileDistanceTest, GivesTheSameBitsWithAndWithoutThreads) {
  std::vector<Cloud> sources;
  for (size_t e = 0; e < 9; ++e) {
    sources.push_back(NormalCloud(100 + 50 * e, kNoMean, 1, /*seed=*/e));
  }
  const QuantileDistance distance = DistanceTo(sources);
  const Cloud target = NormalCloud(222, kNoMean, 1, /*seed=*/99);
  ThreadPool pool(3);

  EXPECT_EQ(
      DistancesToAll(distance, target.View(), {.pool = &pool, .stop = {}}),
      DistancesToAll(distance, target.View()));
}

TEST(QuantileDistanceTest, ReportsACancelledRun) {
  const QuantileDistance distance = DistanceTo({Column({0}), Column({1})});
  std::stop_source stop;
  stop.request_stop();
  double result[1];

  const absl::Status status =
      distance.Compute(Column({0}).View(), std::vector<size_t>{1}, result,
                       {.pool = nullptr, .stop = stop.get_token()});

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST(QuantileDistanceTest, RefusesTargetsThatDoNotFit) {
  const QuantileDistance distance = DistanceTo({Column({0}), Column({1})});
  const auto code = [&](const Cloud& target, std::vector<size_t> sources,
                        size_t room) {
    std::vector<double> distances(room);
    return distance.Compute(target.View(), sources, distances, {}).code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const float nan = std::numeric_limits<float>::quiet_NaN();

  EXPECT_EQ(code(Column({0}), {0, 1}, 2), absl::StatusCode::kOk);
  EXPECT_EQ(code(Column({}), {0, 1}, 2), kInvalid);
  EXPECT_EQ(code(Column({0, nan}), {0, 1}, 2), kInvalid);
  EXPECT_EQ(code(NormalCloud(2, kNoMean, 1, 1), {0, 1}, 2), kInvalid);
  EXPECT_EQ(code(Column({0}), {0, 2}, 2), kInvalid);
  EXPECT_EQ(code(Column({0}), {0, 1}, 1), kInvalid);
}

TEST(QuantileDistanceTest, NamesTheSourceItRefuses) {
  const Cloud good = Column({0, 1});
  const Cloud bad = Column({0, std::numeric_limits<float>::infinity()});
  const Cloud wide = NormalCloud(2, kNoMean, 1, /*seed=*/1);
  const Cloud empty = Column({});
  const MatrixView no_columns{.data = good.values.data(), .rows = 2, .cols = 0};
  const auto error_with = [&](const MatrixView& source) {
    return CreateError(std::vector<MatrixView>{good.View(), source});
  };

  EXPECT_THAT(error_with(bad.View()), HasSubstr("source 1"));
  EXPECT_THAT(error_with(wide.View()), HasSubstr("source 1: expected 1 col"));
  EXPECT_THAT(error_with(empty.View()), HasSubstr("source 1"));
  EXPECT_THAT(CreateError({}), HasSubstr("at least one source"));
  EXPECT_THAT(CreateError(std::vector{no_columns}),
              HasSubstr("at least one column"));
  EXPECT_THAT(CreateError(std::vector{good.View()}, /*max_levels=*/0),
              HasSubstr("max_levels"));
}

TEST(NormalizeByLargestTest, MakesTheLargestOne) {
  std::vector<double> distances = {1, 4, 0};

  NormalizeByLargest(distances);

  EXPECT_THAT(distances, ElementsAre(0.25, 1, 0));
}

TEST(NormalizeByLargestTest, LeavesZerosAlone) {
  std::vector<double> zeros = {0, 0};

  NormalizeByLargest(zeros);
  NormalizeByLargest({});

  EXPECT_THAT(zeros, ElementsAre(0, 0));
}

}  // namespace
}  // namespace ladder::routing
