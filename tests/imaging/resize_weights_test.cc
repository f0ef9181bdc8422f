#include "imaging/resize_weights.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::imaging {
namespace {

using ::testing::ElementsAre;

constexpr int kOne = 1 << kWeightBits;

// The weight of every input in output i.
std::vector<int> Row(const ResizeWeights& weights, int i) {
  std::vector<int> row(static_cast<size_t>(weights.in_size()));
  for (int t = 0; t < weights.taps(); ++t) {
    const int weight = weights.high(i)[t] * (1 << kLowBits) + weights.low(i)[t];
    const int input = weights.start(i) + t;
    if (input < weights.in_size()) {
      row[static_cast<size_t>(input)] = weight;
    } else {
      EXPECT_EQ(weight, 0);
    }
  }
  return row;
}

TEST(ResizeWeightsTest, HalvingSpreadsTheTriangleOverFourPixels) {
  ResizeWeights weights;
  weights.Assign(8, 4);

  // Around 3, at distances 1.5, 0.5, 0.5 and 1.5 of 2.
  EXPECT_THAT(Row(weights, 1), ElementsAre(0, kOne / 8, kOne * 3 / 8,
                                           kOne * 3 / 8, kOne / 8, 0, 0, 0));
}

TEST(ResizeWeightsTest, DoublingMixesNeighbours) {
  ResizeWeights weights;
  weights.Assign(3, 6);

  EXPECT_THAT(Row(weights, 0), ElementsAre(kOne, 0, 0));
  EXPECT_THAT(Row(weights, 1), ElementsAre(kOne * 3 / 4, kOne / 4, 0));
  EXPECT_THAT(Row(weights, 2), ElementsAre(kOne / 4, kOne * 3 / 4, 0));
  EXPECT_THAT(Row(weights, 5), ElementsAre(0, 0, kOne));
}

TEST(ResizeWeightsTest, TheSameSizeIsTheIdentity) {
  ResizeWeights weights;
  weights.Assign(3, 3);

  EXPECT_THAT(Row(weights, 0), ElementsAre(kOne, 0, 0));
  EXPECT_THAT(Row(weights, 1), ElementsAre(0, kOne, 0));
  EXPECT_THAT(Row(weights, 2), ElementsAre(0, 0, kOne));
}

TEST(ResizeWeightsTest, SumToOneAndStayWithinThePicture) {
  ResizeWeights weights;
  for (const int in_size : {1, 2, 3, 7, 64, 1000, 65535}) {
    for (const int out_size : {1, 2, 5, 64, 448}) {
      weights.Assign(in_size, out_size);
      EXPECT_EQ(weights.taps() % 2, 0);
      int previous = 0;
      for (int i = 0; i < out_size; ++i) {
        int sum = 0;
        for (const int weight : Row(weights, i)) {
          EXPECT_GE(weight, 0);
          sum += weight;
        }
        EXPECT_NEAR(sum, kOne, weights.taps());
        EXPECT_GE(weights.start(i), previous);
        previous = weights.start(i);
      }
    }
  }
}

}  // namespace
}  // namespace ladder::imaging
