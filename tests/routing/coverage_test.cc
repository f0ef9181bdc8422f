#include "routing/coverage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/quantile_distance.h"
#include "routing/thread_pool.h"
#include "tests/fakes/fake_style_distance.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

using ::testing::HasSubstr;

// One level whose quantiles are 0, 1, ..., 20, `scale` apart.
CoverageCalibration::Level EvenLevel(size_t sample_size, double scale) {
  CoverageCalibration::Level level{.sample_size = sample_size,
                                   .num_sources = 11};
  for (size_t i = 0; i < CoverageCalibration::kNumQuantiles; ++i) {
    level.quantiles.push_back(scale * static_cast<double>(i));
  }
  return level;
}

TEST(AssessCoverageTest, PutsTheThresholdsWhereTheHeaderSays) {
  const CoverageCalibration calibration{.levels = {EvenLevel(8, 1)}};
  const auto assess = [&](double distance) {
    return AssessCoverage(calibration, distance, /*sample_size=*/8);
  };

  EXPECT_EQ(assess(0).in_threshold, 18);
  EXPECT_EQ(assess(0).out_threshold, 10 + 2.5 * (18 - 10));
  EXPECT_EQ(assess(0).num_sources, 11);
  EXPECT_EQ(assess(0).basis, CoverageBasis::kCalibration);
  EXPECT_EQ(assess(18).verdict, CoverageVerdict::kIn);
  EXPECT_EQ(assess(18.1).verdict, CoverageVerdict::kEdge);
  EXPECT_EQ(assess(30).verdict, CoverageVerdict::kEdge);
  EXPECT_EQ(assess(30.1).verdict, CoverageVerdict::kOut);
}

TEST(AssessCoverageTest, CallsNothingOutUpToTheLargestCalibrationDistance) {
  CoverageCalibration calibration{.levels = {EvenLevel(8, 1)}};
  calibration.levels[0].quantiles.back() = 1000;

  EXPECT_EQ(AssessCoverage(calibration, 1000, 8).verdict,
            CoverageVerdict::kEdge);
  EXPECT_EQ(AssessCoverage(calibration, 1001, 8).verdict,
            CoverageVerdict::kOut);
}

TEST(AssessCoverageTest, RanksADistanceAmongTheCalibrationDistances) {
  const CoverageCalibration calibration{.levels = {EvenLevel(8, 1)}};
  const auto rank = [&](double distance) {
    return AssessCoverage(calibration, distance, /*sample_size=*/8).rank;
  };

  EXPECT_EQ(rank(-1), 0);
  EXPECT_DOUBLE_EQ(rank(9.5), 0.475);
  EXPECT_DOUBLE_EQ(rank(18), 0.9);
  EXPECT_EQ(rank(20), 1);
  EXPECT_EQ(rank(100), 1);
}

TEST(AssessCoverageTest, RanksATiedDistanceAboveTheWholeTie) {
  CoverageCalibration calibration{.levels = {EvenLevel(8, 1)}};
  auto& quantiles = calibration.levels[0].quantiles;
  std::fill(quantiles.begin() + 4, quantiles.begin() + 9, 4);

  EXPECT_DOUBLE_EQ(AssessCoverage(calibration, 4, 8).rank, 0.4);
}

TEST(AssessCoverageTest, InterpolatesBetweenSizesInTheLogarithm) {
  CoverageCalibration calibration{
      .levels = {EvenLevel(16, 3), EvenLevel(64, 1)}};
  calibration.levels[1].num_sources = 7;

  const Coverage halfway = AssessCoverage(calibration, 1, 32);

  EXPECT_DOUBLE_EQ(halfway.in_threshold, 18 * 2.0);
  EXPECT_EQ(halfway.num_sources, 7);
  EXPECT_DOUBLE_EQ(AssessCoverage(calibration, 1, 16).in_threshold, 18 * 3.0);
  EXPECT_DOUBLE_EQ(AssessCoverage(calibration, 1, 64).in_threshold, 18);
}

TEST(AssessCoverageTest, JudgesLargerSamplesByTheLargestCalibratedSize) {
  const CoverageCalibration calibration{
      .levels = {EvenLevel(16, 3), EvenLevel(64, 1)}};

  EXPECT_EQ(AssessCoverage(calibration, 1, 5000).in_threshold, 18);
}

TEST(AssessCoverageTest, KnowsNothingBelowTheSmallestCalibratedSize) {
  const CoverageCalibration calibration{.levels = {EvenLevel(8, 1)}};

  const Coverage coverage = AssessCoverage(calibration, 0.5, 7);

  EXPECT_EQ(coverage.verdict, CoverageVerdict::kUnknown);
  EXPECT_EQ(coverage.basis, CoverageBasis::kSampleTooSmall);
  EXPECT_EQ(coverage.nearest_distance, 0.5);
}

TEST(AssessCoverageTest, KnowsNothingWithoutCalibration) {
  const Coverage coverage = AssessCoverage({}, 0.5, 100);

  EXPECT_EQ(coverage.verdict, CoverageVerdict::kUnknown);
  EXPECT_EQ(coverage.basis, CoverageBasis::kNotCalibrated);
}

TEST(AssessCoverageTest, NamesItsVerdictsAsTheServiceDoes) {
  EXPECT_EQ(CoverageVerdictName(CoverageVerdict::kIn), "IN");
  EXPECT_EQ(CoverageVerdictName(CoverageVerdict::kEdge), "EDGE");
  EXPECT_EQ(CoverageVerdictName(CoverageVerdict::kOut), "OUT");
  EXPECT_EQ(CoverageVerdictName(CoverageVerdict::kUnknown), "UNKNOWN");
}

// Four sources of identical points, at 0, 1, 3 and 7 on a line: with squared
// distances, their nearest neighbours are 1, 1, 4 and 16 away.
class FourPointsTest : public testing::Test {
 protected:
  static Cloud Repeat(float value, size_t rows) {
    return Column(std::vector<float>(rows, value));
  }

  absl::StatusOr<CoverageCalibration> Calibrate(
      const CalibrationOptions& options, const Execution& execution = {}) {
    return CalibrateCoverage(distance_, Views(held_out_), options, execution);
  }

  std::vector<Cloud> held_out_ = {Repeat(0, 9), Repeat(1, 9), Repeat(3, 9),
                                  Repeat(7, 4)};
  const QuantileDistance distance_ =
      QuantileDistance::Create(
          Views(std::vector<Cloud>{Repeat(0, 5), Repeat(1, 5), Repeat(3, 5),
                                   Repeat(7, 5)}))
          .value();
};

TEST_F(FourPointsTest, CountsOneUnseenSourceAmongTheRanks) {
  const auto calibration =
      Calibrate({.sample_sizes = {4}, .repeats = 3}).value();

  // Shares of 1/5 each: 1 and 1 reach 0.4, 4 reaches 0.6, 16 reaches 0.8.
  const auto& quantiles = calibration.levels.at(0).quantiles;
  EXPECT_EQ(quantiles[0], 1);
  EXPECT_EQ(quantiles[8], 1);    // 0.40
  EXPECT_EQ(quantiles[9], 4);    // 0.45
  EXPECT_EQ(quantiles[12], 4);   // 0.60
  EXPECT_EQ(quantiles[13], 16);  // 0.65
  EXPECT_EQ(quantiles[18], 16);  // 0.90 is more than four sources can promise.
  EXPECT_EQ(quantiles[20], 16);
}

TEST_F(FourPointsTest, LeavesOutSourcesAndSizesThatRowsDoNotSufficeFor) {
  held_out_[0] = Repeat(0, 20);
  held_out_[1] = Repeat(1, 20);

  const auto calibration =
      Calibrate({.sample_sizes = {4, 5, 9, 10, 20}, .min_sources = 3}).value();

  ASSERT_EQ(calibration.levels.size(), 3u);
  EXPECT_EQ(calibration.levels[0].sample_size, 4);
  EXPECT_EQ(calibration.levels[0].num_sources, 4);
  EXPECT_EQ(calibration.levels[1].sample_size, 5);
  EXPECT_EQ(calibration.levels[1].num_sources, 3);
  EXPECT_EQ(calibration.levels[1].quantiles.back(), 4);
  EXPECT_EQ(calibration.levels[2].sample_size, 9);
  EXPECT_TRUE(calibration.Validate().ok());
}

TEST_F(FourPointsTest, AcceptsASourceWithNothingHeldOut) {
  held_out_[3] = Cloud{};

  EXPECT_EQ(Calibrate({.sample_sizes = {4}})->levels.at(0).num_sources, 3);
}

TEST_F(FourPointsTest, SaysWhenNoSizeCanBeFilled) {
  const auto calibration = Calibrate({.sample_sizes = {10, 20}});

  EXPECT_EQ(calibration.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(calibration.status().message()),
              HasSubstr("have 10 held-out rows"));
}

TEST_F(FourPointsTest, RefusesOptionsOutOfRange) {
  for (const CalibrationOptions& options : std::vector<CalibrationOptions>{
           {.sample_sizes = {}},
           {.sample_sizes = {0, 4}},
           {.sample_sizes = {4, 4}},
           {.sample_sizes = {8, 4}},
           {.sample_sizes = {4}, .repeats = 0},
           {.sample_sizes = {4}, .min_sources = 1}}) {
    EXPECT_EQ(Calibrate(options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(FourPointsTest, RefusesHeldOutRowsThatDoNotFit) {
  held_out_[2] = Column({0, 1, std::numeric_limits<float>::quiet_NaN()});
  const auto not_finite = Calibrate({.sample_sizes = {2}});
  held_out_.pop_back();
  const auto too_few = Calibrate({.sample_sizes = {2}});

  EXPECT_EQ(not_finite.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(not_finite.status().message()),
              HasSubstr("held-out rows of source 2"));
  EXPECT_EQ(too_few.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(too_few.status().message()),
              HasSubstr("4 sources, got 3"));
}

TEST(CalibrateCoverageTest, RefusesDistancesThatAreNotFinite) {
  const FakeStyleDistance distance({NAN, NAN, NAN});
  const Cloud rows = Column({1, 2, 3});

  const auto calibration = CalibrateCoverage(
      distance, std::vector(3, rows.View()), {.sample_sizes = {2}}, {});

  EXPECT_EQ(calibration.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FourPointsTest, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();

  const auto calibration = Calibrate(
      {.sample_sizes = {4}}, {.pool = nullptr, .stop = stop.get_token()});

  EXPECT_EQ(calibration.status().code(), absl::StatusCode::kCancelled);
}

TEST(CalibrateCoverageTest, DependsOnTheSeedAndNothingElse) {
  std::vector<Cloud> fingerprints;
  std::vector<Cloud> held_out;
  for (uint64_t e = 0; e < 5; ++e) {
    const double centre[] = {static_cast<double>(e)};
    fingerprints.push_back(NormalCloud(50, centre, 1, /*seed=*/2 * e));
    held_out.push_back(NormalCloud(50, centre, 1, /*seed=*/2 * e + 1));
  }
  const auto distance = QuantileDistance::Create(Views(fingerprints)).value();
  ThreadPool pool(3);
  const auto quantiles = [&](uint64_t seed, ThreadPool* threads,
                             std::vector<size_t> sizes) {
    CalibrationOptions options{.sample_sizes = std::move(sizes)};
    options.seed = seed;
    const auto calibration = CalibrateCoverage(
        distance, Views(held_out), options, {.pool = threads, .stop = {}});
    return calibration->levels.back().quantiles;
  };

  const std::vector<double> expected = quantiles(1, nullptr, {32});

  EXPECT_EQ(quantiles(1, &pool, {8, 16, 32}), expected);
  EXPECT_NE(quantiles(2, nullptr, {32}), expected);
}

TEST(CoverageCalibrationTest, NamesTheLevelAndFieldItRefuses) {
  const CoverageCalibration valid{
      .levels = {EvenLevel(8, 2), EvenLevel(16, 1)}};
  const auto error = [&](auto change) {
    CoverageCalibration changed = valid;
    change(changed.levels[1]);
    return std::string(changed.Validate().message());
  };
  using Level = CoverageCalibration::Level;

  EXPECT_TRUE(CoverageCalibration{}.Validate().ok());
  EXPECT_TRUE(valid.Validate().ok());
  EXPECT_EQ(error([](Level& level) { level.sample_size = 8; }),
            "coverage level 1: sample_size must exceed 8, got 8");
  EXPECT_EQ(error([](Level& level) { level.num_sources = 1; }),
            "coverage level 1: num_sources must be at least 2, got 1");
  EXPECT_EQ(error([](Level& level) { level.quantiles.pop_back(); }),
            "coverage level 1: expected 21 quantiles, got 20");
  EXPECT_EQ(error([](Level& level) { level.quantiles[3] = 0.5; }),
            "coverage level 1: quantiles must be finite and ascending, got 0.5 "
            "at index 3");
  EXPECT_THAT(error([](Level& level) { level.quantiles[20] = INFINITY; }),
              HasSubstr("got inf at index 20"));
}

}  // namespace
}  // namespace ladder::routing
