#include "experiments/simulate/simulated_world.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "gtest/gtest.h"
#include "tests/experiments/simulate/small_domain.h"

namespace ladder::experiments {
namespace {

double MeanOf(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

double DeviationOf(std::span<const float> values) {
  const double mean = MeanOf(values);
  double squares = 0;
  for (const float value : values) {
    squares += std::pow(static_cast<double>(value) - mean, 2);
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

SimulatedWorld WorldOf(uint64_t seed) {
  RandomDraws draws(seed);
  return DrawWorld(draws);
}

TEST(SimulatedWorldTest, HasNineSourcesAndTwoTargetsWhereThePaperHasThem) {
  const SimulatedWorld world = WorldOf(1);

  ASSERT_EQ(world.sources.size(), 9u);
  ASSERT_EQ(world.targets.size(), 2u);
  EXPECT_EQ(world.sources.front().coordinate, -5);
  EXPECT_EQ(world.sources.back().coordinate, 5);
  EXPECT_EQ(world.targets[0].coordinate, 2);
  EXPECT_EQ(world.targets[1].coordinate, 6);
  for (const SimulatedDomain& source : world.sources) {
    EXPECT_EQ(source.labels.sizes(), (std::vector<int64_t>{1000}));
    EXPECT_EQ(source.content.sizes(), (std::vector<int64_t>{1000, 10}));
    EXPECT_EQ(source.style.sizes(), (std::vector<int64_t>{1000, 8}));
  }
}

TEST(SimulatedWorldTest, FollowsFromItsSeed) {
  EXPECT_TRUE(WorldOf(1).targets[1].style.equal(WorldOf(1).targets[1].style));
  EXPECT_FALSE(WorldOf(1).targets[1].style.equal(WorldOf(2).targets[1].style));
}

TEST(SimulatedWorldTest, CoefficientsAreLinearInTheCoordinate) {
  const SimulatedWorld world = WorldOf(3);
  const std::vector<float> at_zero = ValuesOf(world.Coefficients(0));
  const std::vector<float> at_one = ValuesOf(world.Coefficients(1));
  const std::vector<float> at_six = ValuesOf(world.Coefficients(6));

  for (size_t i = 0; i < at_six.size(); ++i) {
    EXPECT_NEAR(at_six[i], at_zero[i] + 6 * (at_one[i] - at_zero[i]), 1e-5);
  }
}

// The mean of the labels' log-likelihood ratio would not be zero if labels were
// drawn from other probabilities than those of the true coefficients.
TEST(SimulatedWorldTest, LabelsHaveTheProbabilitiesOfTheTrueCoefficients) {
  const SimulatedWorld world = WorldOf(4);
  double excess = 0;
  double variance = 0;
  for (const SimulatedDomain& domain : world.sources) {
    const std::vector<float> beta =
        ValuesOf(world.Coefficients(domain.coordinate));
    const std::vector<float> content = ValuesOf(domain.content);
    const std::vector<float> labels = ValuesOf(domain.labels.to(torch::kFloat));
    for (size_t row = 0; row < kSimRows; ++row) {
      double exponentials[kSimClasses];
      double sum = 0;
      for (size_t k = 0; k < kSimClasses; ++k) {
        double logit = 0;
        for (size_t j = 0; j < kSimContent; ++j) {
          logit += static_cast<double>(beta[k * kSimContent + j]) *
                   static_cast<double>(content[row * kSimContent + j]);
        }
        exponentials[k] = std::exp(logit);
        sum += exponentials[k];
      }
      const double p = exponentials[0] / sum;
      excess += (labels[row] == 0 ? 1 : 0) - p;
      variance += p * (1 - p);
    }
  }

  EXPECT_LT(std::abs(excess), 4 * std::sqrt(variance));
}

TEST(StandardizeStylesTest, TheSourcesTogetherHaveMeanZeroAndDeviationOne) {
  const SimulatedWorld world = WorldOf(5);
  for (int64_t j = 0; j < static_cast<int64_t>(kSimStyle); ++j) {
    std::vector<float> pooled;
    for (const SimulatedDomain& source : world.sources) {
      const std::vector<float> column = ValuesOf(source.style.select(1, j));
      pooled.insert(pooled.end(), column.begin(), column.end());
    }

    EXPECT_NEAR(MeanOf(pooled), 0, 1e-6);
    EXPECT_NEAR(DeviationOf(pooled), 1, 1e-5);
  }
}

TEST(StandardizeStylesTest, SummariesAreZScoredDeviationsOfTheCoordinates) {
  const SimulatedWorld world = WorldOf(6);
  for (int64_t j = 0; j < static_cast<int64_t>(kSimStyle); ++j) {
    std::vector<float> deviations;
    for (const SimulatedDomain& source : world.sources) {
      deviations.push_back(
          static_cast<float>(DeviationOf(ValuesOf(source.style.select(1, j)))));
    }
    const double mean = MeanOf(deviations);
    const double deviation = DeviationOf(deviations);
    const SimulatedDomain& target = world.targets[1];

    EXPECT_NEAR(target.summary[0][j].item<float>(),
                (DeviationOf(ValuesOf(target.style.select(1, j))) - mean) /
                    (deviation + 1e-6),
                1e-3);
  }
}

TEST(StandardizeStylesTest, TheTwoWeakCoordinatesShiftInOppositeDirections) {
  double first = 0;
  double second = 0;
  double nuisance = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const SimulatedWorld world = WorldOf(seed);
    const auto low = ValuesOf(world.sources.front().summary);
    const auto high = ValuesOf(world.sources.back().summary);
    first += static_cast<double>(high[0] - low[0]);
    second += static_cast<double>(high[1] - low[1]);
    nuisance += static_cast<double>(high[2] - low[2]);
  }

  EXPECT_GT(first / 20, 2);
  EXPECT_LT(second / 20, -2);
  EXPECT_LT(std::abs(nuisance / 20), 1.5);
}

}  // namespace
}  // namespace ladder::experiments
