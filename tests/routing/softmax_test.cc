#include "routing/softmax.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::routing {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SoftmaxTest, FollowsItsDefinition) {
  std::vector<double> scores = {0, 1, -2};

  Softmax(scores, /*temperature=*/2);

  const double sum = 1 + std::exp(0.5) + std::exp(-1.0);
  EXPECT_THAT(scores,
              ElementsAre(DoubleEq(1 / sum), DoubleEq(std::exp(0.5) / sum),
                          DoubleEq(std::exp(-1.0) / sum)));
}

TEST(SoftmaxTest, DoesNotChangeWhenAllScoresShift) {
  std::vector<double> scores = {1, 2, 4}, shifted = {1025, 1026, 1028};

  Softmax(scores, /*temperature=*/1);
  Softmax(shifted, /*temperature=*/1);

  EXPECT_EQ(shifted, scores);
}

TEST(SoftmaxTest, NeitherOverflowsNorUnderflowsToNothing) {
  std::vector<double> huge = {1e300, -1e300}, low = {-1e300, -1e300};

  Softmax(huge, /*temperature=*/1e-300);
  Softmax(low, /*temperature=*/1e-300);

  EXPECT_THAT(huge, ElementsAre(1, 0));
  EXPECT_THAT(low, ElementsAre(0.5, 0.5));
}

TEST(SoftmaxTest, LeavesNoScoresAlone) {
  std::vector<double> none;

  Softmax(none, /*temperature=*/1);

  EXPECT_THAT(none, IsEmpty());
}

TEST(SoftmaxEachRowTest, TreatsEveryRowByItselfAndMayWriteOverItsInput) {
  std::vector<float> values = {0, 0, 100, 0, -200, 200};

  SoftmaxEachRow({values.data(), 3, 2}, /*temperature=*/0.5, values);

  EXPECT_THAT(values, ElementsAre(0.5f, 0.5f, 1, 0, 0, 1));
}

}  // namespace
}  // namespace ladder::routing
