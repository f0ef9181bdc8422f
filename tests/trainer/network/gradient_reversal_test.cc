#include "gtest/gtest.h"
#include "tests/trainer/network/finite_differences.h"
#include "trainer/network/representation_loss.h"

namespace ladder::trainer {
namespace {

class GradientReversalTest : public ::testing::Test {
 protected:
  GradientReversalTest() {
    torch::manual_seed(8);
    x_ = torch::randn({3, 4}, torch::kDouble);
  }

  torch::Tensor x_;
};

TEST_F(GradientReversalTest, IsTheIdentity) {
  EXPECT_TRUE(ReverseGradient(x_, 0.3).equal(x_));
}

TEST_F(GradientReversalTest, ReversesAndScalesTheGradientOfWhatFollows) {
  const torch::Tensor expected =
      -0.3 *
      DifferenceGradient(
          [](const torch::Tensor& x) { return (x.sin() * x).sum(); }, x_);

  const torch::Tensor found = AutogradGradient(
      [](const torch::Tensor& x) {
        const torch::Tensor y = ReverseGradient(x, 0.3);
        return (y.sin() * y).sum();
      },
      x_);

  EXPECT_TRUE(torch::allclose(found, expected, /*rtol=*/1e-7, /*atol=*/1e-8));
}

TEST_F(GradientReversalTest, LeavesTheGradientBesideItAlone) {
  const auto unreversed = [](const torch::Tensor& x) { return x.cos().sum(); };
  const torch::Tensor expected =
      0.7 * DifferenceGradient(unreversed, x_);  // 1 - 0.3

  const torch::Tensor found = AutogradGradient(
      [&](const torch::Tensor& x) {
        return unreversed(x) + unreversed(ReverseGradient(x, 0.3));
      },
      x_);

  EXPECT_TRUE(torch::allclose(found, expected, /*rtol=*/1e-7, /*atol=*/1e-8));
}

TEST_F(GradientReversalTest, StopsTheGradientAtScaleZero) {
  const torch::Tensor found = AutogradGradient(
      [](const torch::Tensor& x) { return ReverseGradient(x, 0).sum(); }, x_);

  EXPECT_TRUE(found.eq(0).all().item<bool>());
}

}  // namespace
}  // namespace ladder::trainer
