#include "trainer/network/pooled_risk.h"

#include <torch/nn/functional/loss.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kClasses = 3;

class PooledRiskTest : public ::testing::Test {
 protected:
  PooledRiskTest() {
    torch::manual_seed(3);
    logits_ = 2 * torch::randn({12, kClasses}, torch::kDouble);
    labels_ = torch::randint(kClasses, {12}, torch::kLong);
    domains_ = torch::tensor({5, 5, 5, 5, 2, 2, 2, 2, 9, 9, 9, 9});
  }

  double Risk(const PooledOptions& options, int64_t step = 1000,
              const torch::Tensor& class_weights = {}) const {
    return PooledRisk(logits_, labels_, domains_, class_weights, options, step)
        .item<double>();
  }

  // The losses of the three domains, [3, 4], with all logits multiplied.
  torch::Tensor Losses(double scale = 1) const {
    return torch::nn::functional::cross_entropy(
               scale * logits_, labels_,
               torch::nn::functional::CrossEntropyFuncOptions().reduction(
                   torch::kNone))
        .reshape({3, 4});
  }
  torch::Tensor Means() const { return Losses().mean(1); }

  torch::Tensor logits_;
  torch::Tensor labels_;
  torch::Tensor domains_;
};

TEST_F(PooledRiskTest, ErmIsTheMeanOverDomains) {
  EXPECT_NEAR(Risk({.method = PooledMethod::kErm}),
              Means().mean().item<double>(), 1e-12);
}

TEST_F(PooledRiskTest, IrmPenalisesTheSlopeOfEachDomainsRisk) {
  constexpr double kStep = 1e-5;
  const torch::Tensor slopes =
      (Losses(1 + kStep) - Losses(1 - kStep)) / (2 * kStep);
  // The samples of a domain belong to its two halves in turns.
  const torch::Tensor halves = slopes.reshape({3, 2, 2}).mean(1);
  const torch::Tensor squares = halves.select(1, 0) * halves.select(1, 1);
  const double expected =
      (Means().mean() + 7 * squares.mean()).item<double>() / 7;

  EXPECT_NEAR(Risk({.method = PooledMethod::kIrm, .irm_weight = 7}), expected,
              1e-8);
}

TEST_F(PooledRiskTest, IrmHasWeightOneWhileItWarmsUp) {
  const PooledOptions heavy = {
      .method = PooledMethod::kIrm, .irm_weight = 50, .warmup_steps = 10};
  const PooledOptions light = {.method = PooledMethod::kIrm, .irm_weight = 1};

  EXPECT_DOUBLE_EQ(Risk(heavy, /*step=*/9), Risk(light));
  EXPECT_NE(Risk(heavy, /*step=*/10), Risk(light));
}

TEST_F(PooledRiskTest, EqrmIsAnInterpolatedQuantile) {
  const auto means = std::get<0>(Means().sort());

  const double upper =
      Risk({.method = PooledMethod::kEqrm, .eqrm_quantile = 0.75});

  EXPECT_NEAR(upper, (0.5 * (means[1] + means[2])).item<double>(), 1e-12);
  EXPECT_NEAR(Risk({.method = PooledMethod::kEqrm, .eqrm_quantile = 1}),
              means[2].item<double>(), 1e-12);
}

TEST_F(PooledRiskTest, RdmAddsTheWorstDomainsDiscrepancy) {
  const torch::Tensor losses = torch::nn::functional::cross_entropy(
      logits_, labels_,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  const int64_t worst = Means().argmax().item<int64_t>();
  const torch::Tensor of_worst = losses.slice(0, 4 * worst, 4 * worst + 4);
  const double expected =
      (Means().mean() + 2 * SquaredDiscrepancy(of_worst, losses))
          .item<double>();

  EXPECT_NEAR(Risk({.method = PooledMethod::kRdm, .rdm_weight = 2}), expected,
              1e-12);
  EXPECT_NEAR(Risk({.method = PooledMethod::kRdm}, /*step=*/0),
              Means().mean().item<double>(), 1e-12);
}

TEST_F(PooledRiskTest, ClassWeightsMultiplyTheLossOfTheirSamples) {
  const torch::Tensor weights = torch::tensor({1.0, 0.0, 3.0}, torch::kDouble);
  const torch::Tensor losses = torch::nn::functional::cross_entropy(
      logits_, labels_,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  const double expected =
      (losses * weights.index_select(0, labels_)).mean().item<double>();

  EXPECT_NEAR(Risk({.method = PooledMethod::kErm}, 1000, weights), expected,
              1e-12);
}

TEST(SquaredDiscrepancyTest, IsZeroForEqualSamplesAndGrowsWithTheDistance) {
  const torch::Tensor a = torch::tensor({0.1, 0.7, 2.0});

  EXPECT_NEAR(SquaredDiscrepancy(a, a).item<double>(), 0, 1e-6);
  EXPECT_LT(SquaredDiscrepancy(a, a + 0.5).item<double>(),
            SquaredDiscrepancy(a, a + 1).item<double>());
}

}  // namespace
}  // namespace ladder::trainer
