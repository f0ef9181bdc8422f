#include <vector>

#include "experiments/diagnose/source_geometry.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

using Values = std::vector<double>;

TEST(SpearmanTest, DependsOnOrderAlone) {
  EXPECT_DOUBLE_EQ(
      SpearmanRho(Values{1, 5, 2, 9}, Values{0.1, 300, 0.2, 1e9}).value(), 1);
  EXPECT_DOUBLE_EQ(SpearmanRho(Values{1, 5, 2, 9}, Values{4, 2, 3, 1}).value(),
                   -1);
}

TEST(SpearmanTest, AgreesWithTheFormulaForDistinctRanks) {
  // Rank differences -1, 1, -1, 1, 0: rho = 1 - 6 * 4 / (5 * 24).
  EXPECT_DOUBLE_EQ(
      SpearmanRho(Values{10, 20, 30, 40, 50}, Values{2, 1, 4, 3, 5}).value(),
      0.8);
}

TEST(SpearmanTest, GivesTiesTheMeanOfTheirRanks) {
  // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5, variances 4.5 and 5.
  EXPECT_NEAR(SpearmanRho(Values{1, 2, 2, 3}, Values{1, 3, 2, 4}).value(),
              4.5 / 4.743416490252569, 1e-12);
}

TEST(SpearmanTest, IsNotDefinedWithoutVariation) {
  EXPECT_FALSE(SpearmanRho(Values{}, Values{}).has_value());
  EXPECT_FALSE(SpearmanRho(Values{1}, Values{2}).has_value());
  EXPECT_FALSE(SpearmanRho(Values{1, 2, 3}, Values{7, 7, 7}).has_value());
}

}  // namespace
}  // namespace ladder::experiments
