#include "experiments/random_draws.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Lt;

constexpr size_t kCount = 200'000;

template <typename Draw>
std::vector<double> Sample(Draw draw) {
  RandomDraws draws(/*seed=*/5);
  std::vector<double> sample(kCount);
  for (double& value : sample) value = draw(draws);
  return sample;
}

// The mean of (value - center)^power.
double Moment(const std::vector<double>& sample, double center, int power) {
  double sum = 0;
  for (const double value : sample) sum += std::pow(value - center, power);
  return sum / static_cast<double>(sample.size());
}

double ShareBelow(const std::vector<double>& sample, double bound) {
  return static_cast<double>(std::ranges::count_if(
             sample, [&](double value) { return value < bound; })) /
         static_cast<double>(sample.size());
}

// Tolerances are some four standard errors.
TEST(RandomDrawsTest, UniformDrawsFillTheUnitInterval) {
  const auto sample = Sample([](RandomDraws& d) { return d.Uniform(); });

  EXPECT_THAT(sample, Each(AllOf(Ge(0.0), Lt(1.0))));
  EXPECT_NEAR(Moment(sample, 0, 1), 0.5, 0.003);
  EXPECT_NEAR(Moment(sample, 0.5, 2), 1.0 / 12, 0.001);
  EXPECT_NEAR(ShareBelow(sample, 0.1), 0.1, 0.003);
}

TEST(RandomDrawsTest, NormalDrawsHaveTheMomentsAndTailsOfTheNormal) {
  const auto sample = Sample([](RandomDraws& d) { return d.Normal(); });

  EXPECT_NEAR(Moment(sample, 0, 1), 0, 0.009);
  EXPECT_NEAR(Moment(sample, 0, 2), 1, 0.013);
  EXPECT_NEAR(Moment(sample, 0, 3), 0, 0.035);
  EXPECT_NEAR(Moment(sample, 0, 4), 3, 0.09);
  EXPECT_NEAR(ShareBelow(sample, -1.959964), 0.025, 0.0015);
  EXPECT_NEAR(ShareBelow(sample, 1), 0.841345, 0.0035);
}

TEST(RandomDrawsTest, FollowingNormalDrawsAreUncorrelated) {
  const auto sample = Sample([](RandomDraws& d) { return d.Normal(); });

  double sum = 0;
  for (size_t i = 1; i < kCount; ++i) sum += sample[i - 1] * sample[i];

  EXPECT_NEAR(sum / kCount, 0, 0.009);
}

TEST(RandomDrawsTest, GammaDrawsHaveTheMomentsOfTheirShape) {
  for (const double shape : {1.0, 1.3, 2.5, 5.0}) {
    const auto sample = Sample([&](RandomDraws& d) { return d.Gamma(shape); });

    EXPECT_THAT(sample, Each(Ge(0.0)));
    EXPECT_NEAR(Moment(sample, 0, 1), shape, 0.009 * std::sqrt(shape));
    EXPECT_NEAR(Moment(sample, shape, 2), shape, 0.03 * shape) << shape;
    EXPECT_NEAR(Moment(sample, shape, 3), 2 * shape, 0.25 * shape) << shape;
  }
}

TEST(RandomDrawsTest, GammaDrawsOfShapeOneAreExponential) {
  const auto sample = Sample([](RandomDraws& d) { return d.Gamma(1.0); });

  for (const double bound : {0.01, 0.1, 1.0, 3.0}) {
    EXPECT_NEAR(ShareBelow(sample, bound), 1 - std::exp(-bound), 0.0045);
  }
}

TEST(RandomDrawsTest, BetaDrawsHaveTheMomentsOfTheirParameters) {
  for (const double a : {1.0, 2.2, 3.0, 5.0}) {
    const double b = 6.0 - a;
    const auto sample = Sample([&](RandomDraws& d) { return d.Beta(a, b); });

    EXPECT_THAT(sample, Each(AllOf(Ge(0.0), Le(1.0))));
    EXPECT_NEAR(Moment(sample, 0, 1), a / 6, 0.002) << a;
    EXPECT_NEAR(Moment(sample, a / 6, 2), a * b / (36 * 7), 0.0006) << a;
  }
}

TEST(RandomDrawsTest, BetaDrawsFollowTheKnownDistributionIfAIsOne) {
  const auto sample = Sample([](RandomDraws& d) { return d.Beta(1, 5); });

  for (const double bound : {0.02, 0.1, 0.3, 0.6}) {
    EXPECT_NEAR(ShareBelow(sample, bound), 1 - std::pow(1 - bound, 5), 0.0045);
  }
}

TEST(RandomDrawsTest, DrawsAreAFunctionOfTheSeed) {
  RandomDraws draws(1);
  RandomDraws same(1);
  RandomDraws other(2);

  for (int i = 0; i < 100; ++i) {
    const double value = draws.Beta(2, 3);
    EXPECT_EQ(same.Beta(2, 3), value);
    EXPECT_NE(other.Beta(2, 3), value);
  }
}

}  // namespace
}  // namespace ladder::experiments
