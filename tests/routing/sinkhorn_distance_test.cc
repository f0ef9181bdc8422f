#include "routing/sinkhorn_distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "routing/weights.h"
#include "tests/routing/cloud.h"
#include "tests/routing/golden.h"
#include "tests/routing/reference_sinkhorn.h"
#include "tests/simd_targets.h"

namespace ladder::routing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

SinkhornDistance MakeDistance(const std::vector<Cloud>& sources,
                              const SinkhornOptions& options = {}) {
  return SinkhornDistance(
      Fingerprints::Create(Views(sources), options, {}).value());
}

std::vector<size_t> AllOf(const StyleDistance& distance) {
  std::vector<size_t> sources(distance.num_sources());
  std::iota(sources.begin(), sources.end(), 0);
  return sources;
}

std::vector<double> Distances(const StyleDistance& distance,
                              const Cloud& target,
                              const Execution& execution = {}) {
  std::vector<double> distances(distance.num_sources());
  const absl::Status status =
      distance.Compute(target.View(), AllOf(distance), distances, execution);
  EXPECT_TRUE(status.ok()) << status;
  return distances;
}

double Divergence(const Cloud& x, const Cloud& y,
                  const SinkhornOptions& options = {}) {
  return Distances(MakeDistance({y}, options), x)[0];
}

Cloud Normal(size_t rows, size_t cols, double mean, double deviation,
             uint64_t seed) {
  return NormalCloud(rows, std::vector<double>(cols, mean), deviation, seed);
}

// --------------------------------------------------------- Against the golden

using GoldenTest = EveryTargetTest;

TEST_P(GoldenTest, EveryDistanceIsWithinOneMillionthOfTheDoubleValue) {
  const std::vector<GoldenCase> cases = LoadGoldenCases();
  ASSERT_EQ(cases.size(), 16);

  for (const GoldenCase& golden : cases) {
    const std::vector<double> distances =
        Distances(MakeDistance(golden.sources), golden.target);

    for (size_t e = 0; e < distances.size(); ++e) {
      const double expected = golden.distances[e].value_or(0);
      EXPECT_NEAR(distances[e], expected,
                  1e-6 * std::max(1.0, std::abs(expected)))
          << golden.name << ", source " << e;
    }
  }
}

TEST_P(GoldenTest, TheNearestKComeInTheOrderOfTheDoubleValues) {
  for (const GoldenCase& golden : LoadGoldenCases()) {
    std::vector<double> expected;
    for (const auto& distance : golden.distances) {
      expected.push_back(distance.value_or(0));
    }

    const std::vector<double> distances =
        Distances(MakeDistance(golden.sources), golden.target);

    // Sources that are one cloud in another order tie up to rounding, and may
    // swap; all others must not.
    const auto nearest = NearestSources(distances, kAllSources);
    const auto expected_nearest = NearestSources(expected, kAllSources);
    for (size_t i = 0; i < nearest.size(); ++i) {
      EXPECT_NEAR(expected[nearest[i]], expected[expected_nearest[i]], 1e-12)
          << golden.name << ", rank " << i;
    }
  }
}

LADDER_INSTANTIATE_FOR_EVERY_TARGET(GoldenTest);

// ------------------------------------------------------ Against the definition

struct World {
  std::string name;
  Cloud x;
  Cloud y;
};

Cloud Scaled(Cloud cloud, double factor) {
  for (float& value : cloud.values) value *= static_cast<float>(factor);
  return cloud;
}

// Groups of near-duplicates, as a camera's bursts make them.
Cloud Bursts(size_t groups, size_t per_group, size_t cols, double deviation,
             uint64_t seed) {
  const Cloud centres = Normal(groups, cols, 0, 1, seed);
  Cloud cloud = Normal(groups * per_group, cols, 0, deviation, seed + 1);
  for (size_t i = 0; i < cloud.rows; ++i) {
    for (size_t k = 0; k < cols; ++k) {
      cloud.values[i * cols + k] += centres.View().Row(i / per_group)[k];
    }
  }
  return cloud;
}

// A few directions with heavy tails inside many dimensions.
Cloud HeavyTails(size_t rows, size_t cols, double freedom, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::student_t_distribution<double> student(freedom);
  Cloud cloud{.rows = rows, .cols = cols, .values = {}};
  for (size_t i = 0; i < rows * cols; ++i) {
    cloud.values.push_back(static_cast<float>(student(generator)));
  }
  return cloud;
}

// A few points far away from all others.
Cloud WithOutliers(Cloud cloud, size_t count, float offset) {
  for (size_t i = 0; i < count * cloud.cols; ++i) cloud.values[i] += offset;
  return cloud;
}

std::vector<World> Worlds() {
  return {
      {"isotropic, high-dimensional", Normal(90, 128, 0.2, 1.1, 1),
       Normal(150, 128, 0, 1, 2)},
      {"far apart", Normal(70, 64, 5, 1, 3), Normal(80, 64, -5, 1, 4)},
      {"in a line", Normal(100, 1, 0.5, 1.2, 5), Normal(120, 1, 0, 1, 6)},
      {"in a plane", Normal(100, 2, 0.5, 1.2, 7), Normal(130, 2, 0, 1, 8)},
      {"a small plane", Normal(90, 2, 0.05, 0.12, 9),
       Normal(90, 2, 0, 0.1, 10)},
      {"smaller than the blur", Normal(80, 3, 0, 0.003, 11),
       Normal(90, 3, 0.001, 0.003, 12)},
      {"bursts", Bursts(12, 8, 32, 0.02, 13), Bursts(15, 8, 32, 0.02, 14)},
      {"heavy tails", HeavyTails(100, 16, 3, 15), HeavyTails(120, 16, 3, 16)},
      {"very heavy tails", HeavyTails(90, 4, 1.5, 17),
       HeavyTails(110, 4, 1.5, 18)},
      {"rare far mode", WithOutliers(Normal(100, 8, 0, 0.3, 19), 2, 40),
       WithOutliers(Normal(120, 8, 0, 0.3, 20), 1, 40)},
      {"two modes", WithOutliers(Normal(100, 16, 0, 1, 21), 50, 6),
       WithOutliers(Normal(120, 16, 0, 1, 22), 30, 6)},
      {"off the origin", Normal(80, 32, 100, 1, 23),
       Normal(90, 32, 100, 1, 24)},
      {"huge", Scaled(Normal(70, 16, 0, 1, 25), 1e4),
       Scaled(Normal(80, 16, 0, 1, 26), 1e4)},
      {"one point against many", Normal(1, 16, 0, 1, 27),
       Normal(200, 16, 0, 1, 28)},
      {"one point against one", Normal(1, 16, 0, 1, 29),
       Normal(1, 16, 0, 1, 30)},
  };
}

using SinkhornDistanceTest = EveryTargetTest;
LADDER_INSTANTIATE_FOR_EVERY_TARGET(SinkhornDistanceTest);

TEST_P(SinkhornDistanceTest, EqualsTheDefinitionOnManyKindsOfClouds) {
  for (const World& world : Worlds()) {
    const double expected =
        ReferenceSinkhorn().Divergence(world.x.View(), world.y.View());

    EXPECT_NEAR(Divergence(world.x, world.y), expected,
                2e-7 * std::max(1.0, std::abs(expected)))
        << world.name;
  }
}

TEST_P(SinkhornDistanceTest, EqualsTheDefinitionForOtherBlursAndScalings) {
  const Cloud x = Normal(60, 8, 0.3, 1, 1);
  const Cloud y = Normal(80, 8, 0, 1.2, 2);
  for (const double blur : {0.01, 0.2, 2.0}) {
    for (const double scaling : {0.5, 0.7, 0.9}) {
      const double expected =
          ReferenceSinkhorn(blur, scaling).Divergence(x.View(), y.View());

      EXPECT_NEAR(Divergence(x, y, {.blur = blur, .scaling = scaling}),
                  expected, 1e-6)
          << "blur " << blur << ", scaling " << scaling;
    }
  }
}

TEST_P(SinkhornDistanceTest, SurvivesSchedulesSoSteepThatKernelsOverflow) {
  const Cloud x = Normal(60, 8, 0.3, 1, 1);
  const Cloud y = Normal(80, 8, 0, 1.2, 2);
  for (const double scaling : {0.03, 0.01, 0.001}) {
    const double expected =
        ReferenceSinkhorn(0.005, scaling).Divergence(x.View(), y.View());

    EXPECT_NEAR(Divergence(x, y, {.blur = 0.005, .scaling = scaling}), expected,
                1e-6)
        << "scaling " << scaling;
  }
}

// ------------------------------------------------------------------ Properties

TEST_P(SinkhornDistanceTest, IsSymmetric) {
  for (const World& world : Worlds()) {
    const double there = Divergence(world.x, world.y);

    EXPECT_NEAR(Divergence(world.y, world.x), there,
                2e-7 * std::max(1.0, std::abs(there)))
        << world.name;
  }
}

TEST_P(SinkhornDistanceTest, OfACloudToItselfIsZero) {
  for (const World& world : Worlds()) {
    EXPECT_NEAR(Divergence(world.x, world.x), 0, 2e-8) << world.name;
    EXPECT_NEAR(Divergence(world.y, world.y), 0, 2e-8) << world.name;
  }
}

TEST_P(SinkhornDistanceTest, DoesNotDependOnTheOrderOfRows) {
  const Cloud y = Normal(150, 16, 0, 1, 2);
  const Cloud x = Normal(100, 16, 0.2, 1, 1);
  Cloud shuffled = x;
  std::vector<size_t> order(x.rows);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  for (size_t i = 0; i < x.rows; ++i) {
    std::ranges::copy(x.View().Row(order[i]), &shuffled.values[i * x.cols]);
  }

  EXPECT_NEAR(Divergence(shuffled, y), Divergence(x, y), 5e-8);
}

TEST_P(SinkhornDistanceTest, OfCloudsThatAreOnePointIsZero) {
  const Cloud point{.rows = 3, .cols = 2, .values = {1, 2, 1, 2, 1, 2}};

  EXPECT_EQ(Divergence(point, point), 0);
}

TEST_P(SinkhornDistanceTest, CountsRepeatedPointsAsMass) {
  // Doubling every point changes no distribution; only the entropy moves, and
  // with the points far apart that is the same on both sides.
  const Cloud x = Normal(20, 16, 0, 1, 1);
  Cloud doubled = x;
  doubled.rows *= 2;
  doubled.values.insert(doubled.values.end(), x.values.begin(), x.values.end());
  const double expected =
      ReferenceSinkhorn().Divergence(doubled.View(), x.View());

  EXPECT_NEAR(Divergence(doubled, x), expected, 1e-7);
  EXPECT_NEAR(Divergence(doubled, x), 0, 1e-3);
}

TEST_P(SinkhornDistanceTest, IgnoresColumnsThatNeverVary) {
  const Cloud x = Normal(40, 3, 0, 1, 1);
  const Cloud y = Normal(50, 3, 0.5, 1, 2);
  const auto with_constant = [](const Cloud& cloud) {
    Cloud wider{.rows = cloud.rows, .cols = cloud.cols + 1, .values = {}};
    for (size_t i = 0; i < cloud.rows; ++i) {
      const auto row = cloud.View().Row(i);
      wider.values.insert(wider.values.end(), row.begin(), row.end());
      wider.values.push_back(7);
    }
    return wider;
  };

  EXPECT_NEAR(Divergence(with_constant(x), with_constant(y)), Divergence(x, y),
              2e-6);
}

TEST_P(SinkhornDistanceTest, IsHugeButRightWhereAConstantColumnIsLeft) {
  // A column that never varied among the sources is normalised by 1e-6, so a
  // target that differs in it by 1 lies a million away.
  Cloud source = Normal(90, 8, 0, 1, 1);
  Cloud target = Normal(80, 8, 0, 1, 2);
  for (size_t i = 0; i < source.rows; ++i) source.values[i * 8] = 0;
  for (size_t i = 0; i < target.rows; ++i) target.values[i * 8] = 1e6F;

  EXPECT_NEAR(Divergence(target, source), 1e6, 1);
}

TEST_P(SinkhornDistanceTest, IsTheSameToTheBitOnAnyNumberOfThreads) {
  std::vector<Cloud> sources;
  for (uint64_t e = 0; e < 9; ++e) {
    sources.push_back(Normal(60 + 10 * e, 24, 0.1 * double(e), 1, e));
  }
  const SinkhornDistance distance = MakeDistance(sources);
  const Cloud target = Normal(70, 24, 0.3, 1.1, 99);
  const std::vector<double> expected = Distances(distance, target);

  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_THAT(Distances(distance, target, {.pool = &pool}),
                ElementsAreArray(expected))
        << threads << " threads";
  }
}

TEST_P(SinkhornDistanceTest, OfASubsetOfSourcesIsThatSubsetOfDistances) {
  const SinkhornDistance distance = MakeDistance(
      {Normal(40, 8, 0, 1, 1), Normal(50, 8, 1, 1, 2), Normal(60, 8, 2, 1, 3)});
  const Cloud target = Normal(30, 8, 0.5, 1, 4);
  const std::vector<double> all = Distances(distance, target);

  const std::vector<size_t> sources = {2, 0};
  std::vector<double> distances(2);
  ASSERT_TRUE(distance.Compute(target.View(), sources, distances, {}).ok());

  EXPECT_THAT(distances, ElementsAreArray({all[2], all[0]}));
}

TEST_P(SinkhornDistanceTest, SelfTermsFromACacheGiveTheSameDistances) {
  const std::vector<Cloud> sources = {Normal(40, 4, 0, 0.3, 1),
                                      Normal(50, 4, 1, 0.3, 2)};
  const Fingerprints computed =
      Fingerprints::Create(Views(sources), {}, {}).value();
  std::vector<SelfTerm> cached;
  for (size_t e = 0; e < sources.size(); ++e) {
    cached.push_back(
        SelfTerm::FromValues(computed.self_term(e).values()).value());
  }

  const SinkhornDistance distance(
      Fingerprints::CreateWithSelfTerms(Views(sources), cached, {}).value());

  const Cloud target = Normal(30, 4, 0.5, 0.3, 3);
  EXPECT_THAT(Distances(distance, target),
              ElementsAreArray(Distances(MakeDistance(sources), target)));
}

// ---------------------------------------------------------------------- Errors

absl::Status ComputeError(const Cloud& target) {
  const SinkhornDistance distance = MakeDistance({Normal(10, 3, 0, 1, 1)});
  std::vector<double> distances(1);
  return distance.Compute(target.View(), AllOf(distance), distances, {});
}

TEST_P(SinkhornDistanceTest, RefusesAnEmptyTarget) {
  EXPECT_EQ(ComputeError({.rows = 0, .cols = 3, .values = {}}),
            absl::InvalidArgumentError(
                "target style: expected at least one row, got none"));
}

TEST_P(SinkhornDistanceTest, RefusesATargetOfAnotherDimension) {
  EXPECT_EQ(
      ComputeError({.rows = 1, .cols = 2, .values = {1, 2}}),
      absl::InvalidArgumentError("target style: expected 3 columns, got 2"));
}

TEST_P(SinkhornDistanceTest, RefusesNansAndInfinitiesNamingTheirPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();

  EXPECT_EQ(
      ComputeError({.rows = 2, .cols = 3, .values = {1, 2, 3, 4, nan, 6}}),
      absl::InvalidArgumentError("target style: value at row 1, column 1 is "
                                 "nan; expected finite values only"));
  EXPECT_EQ(
      ComputeError({.rows = 1, .cols = 3, .values = {-infinity, 2, 3}}),
      absl::InvalidArgumentError("target style: value at row 0, column 0 is "
                                 "-inf; expected finite values only"));
}

TEST_P(SinkhornDistanceTest, RefusesValuesTooLargeToCompare) {
  EXPECT_EQ(ComputeError({.rows = 1, .cols = 3, .values = {1e30F, 0, 0}}),
            absl::InvalidArgumentError(
                "target style and source 0: the diagonal of the box around all "
                "points is 1e+30; expected at most 5e+07, a billion times the "
                "blur"));
}

TEST_P(SinkhornDistanceTest, RefusesSourcesThatAreNotThere) {
  const SinkhornDistance distance = MakeDistance({Normal(10, 3, 0, 1, 1)});
  const Cloud target = Normal(5, 3, 0, 1, 2);
  std::vector<double> distances(1);

  EXPECT_EQ(
      distance.Compute(target.View(), std::vector<size_t>{1}, distances, {}),
      absl::InvalidArgumentError("source index must be below 1, got 1"));
  EXPECT_EQ(
      distance.Compute(target.View(), std::vector<size_t>{0, 0}, distances, {}),
      absl::InvalidArgumentError("expected room for 2 distances, got 1"));
}

TEST_P(SinkhornDistanceTest, StopsBetweenSourcesWhenAsked) {
  const SinkhornDistance distance =
      MakeDistance(std::vector<Cloud>(4, Normal(10, 3, 0, 1, 1)));
  std::stop_source stop;
  stop.request_stop();
  std::vector<double> distances(4);

  const absl::Status status =
      distance.Compute(Normal(5, 3, 0, 1, 2).View(), AllOf(distance), distances,
                       {.stop = stop.get_token()});

  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST(FingerprintsTest, NameTheSourceThatIsWrong) {
  const Cloud good = Normal(10, 3, 0, 1, 1);
  const Cloud narrow = Normal(10, 2, 0, 1, 1);
  const Cloud empty{.rows = 0, .cols = 3, .values = {}};
  const auto error = [](const std::vector<Cloud>& sources) {
    return Fingerprints::Create(Views(sources), {}, {}).status();
  };

  EXPECT_EQ(error({}), absl::InvalidArgumentError(
                           "expected at least one source, got none"));
  EXPECT_EQ(error({good, narrow}),
            absl::InvalidArgumentError("source 1: expected 3 columns, got 2"));
  EXPECT_EQ(error({good, good, empty}),
            absl::InvalidArgumentError(
                "source 2: expected at least one row, got none"));
}

TEST(FingerprintsTest, RefuseValuesTooLargeToCompare) {
  const Cloud huge{.rows = 2, .cols = 1, .values = {-1e20F, 1e20F}};

  EXPECT_THAT(
      Fingerprints::Create(Views(std::vector{huge}), {}, {})
          .status()
          .ToString(),
      HasSubstr(
          "source 0: the diagonal of the box around all points is 2e+20"));
}

TEST(FingerprintsTest, RefuseOptionsOutOfRange) {
  const std::vector<Cloud> sources = {Normal(10, 3, 0, 1, 1)};
  const auto error = [&](const SinkhornOptions& options) {
    return Fingerprints::Create(Views(sources), options, {}).status();
  };

  EXPECT_EQ(error({.blur = -1}),
            absl::InvalidArgumentError("blur must be positive and finite, got "
                                       "-1"));
  EXPECT_EQ(
      error({.scaling = 1}),
      absl::InvalidArgumentError("scaling must lie between 0 and 1, got 1"));
}

TEST(FingerprintsTest, RefuseAWrongNumberOfSelfTerms) {
  const std::vector<Cloud> sources = {Normal(10, 3, 0, 1, 1)};

  EXPECT_EQ(Fingerprints::CreateWithSelfTerms(Views(sources), {}, {}).status(),
            absl::InvalidArgumentError(
                "expected a self term for each of 1 sources, got 0"));
}

TEST(FingerprintsTest, StopWhenAsked) {
  const std::vector<Cloud> sources = {Normal(10, 3, 0, 1, 1)};
  std::stop_source stop;
  stop.request_stop();

  EXPECT_EQ(Fingerprints::Create(Views(sources), {}, {.stop = stop.get_token()})
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::routing
