#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/network/pooled_risk.h"

namespace ladder::trainer {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<double> Weights(std::vector<int64_t> counts, double beta) {
  return EffectiveNumberWeights(counts, beta).value();
}

TEST(ClassBalanceTest, WeighsByTheEffectiveNumberOfSamples) {
  EXPECT_THAT(
      Weights({1, 2, 100, 1000, 1'000'000}, 0.999),
      ElementsAre(DoubleNear(1, 1e-12), DoubleNear(1 / 1.999, 1e-12),
                  DoubleNear(0.0105033353, 1e-9),
                  DoubleNear(0.0015815163, 1e-9), DoubleNear(0.001, 1e-12)));
}

TEST(ClassBalanceTest, GivesClassesWithoutSamplesNoWeight) {
  EXPECT_THAT(Weights({0, 1, 0}, 0.999),
              ElementsAre(0, DoubleNear(1, 1e-12), 0));
}

TEST(ClassBalanceTest, WeighsAllClassesAlikeAtBetaZero) {
  EXPECT_THAT(Weights({0, 1, 500}, 0), ElementsAre(0, 1, 1));
}

TEST(ClassBalanceTest, ApproachesInverseFrequenciesAsBetaApproachesOne) {
  EXPECT_THAT(Weights({10, 1000}, 1 - 1e-12),
              ElementsAre(DoubleNear(0.1, 1e-6), DoubleNear(0.001, 1e-6)));
}

TEST(ClassBalanceTest, RefusesABetaOutOfRange) {
  for (const double beta :
       {-0.1, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto weights = EffectiveNumberWeights(std::vector<int64_t>{1}, beta);
    EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(EffectiveNumberWeights({}, 1).status().message(),
            "beta: expected at least 0 and less than 1, got 1");
}

TEST(ClassBalanceTest, RefusesNegativeCounts) {
  const auto weights =
      EffectiveNumberWeights(std::vector<int64_t>{3, -1}, 0.999);

  EXPECT_EQ(weights.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(weights.status().message(),
            "count of class 1: expected at least 0, got -1");
}

TEST(ClassBalanceTest, MultipliesTheOrdinaryCrossEntropy) {
  // Of two equal logits, every sample's cross-entropy is log 2.
  const torch::Tensor logits = torch::zeros({4, 2});
  const torch::Tensor labels = torch::tensor({0, 0, 0, 1}, torch::kInt64);
  const torch::Tensor weights = torch::tensor({0.25F, 0.75F});

  const torch::Tensor loss = ClassBalancedCrossEntropy(logits, labels, weights);

  EXPECT_NEAR(loss.item<double>(), (3 * 0.25 + 0.75) / 4 * std::log(2), 1e-6);
}

}  // namespace
}  // namespace ladder::trainer
