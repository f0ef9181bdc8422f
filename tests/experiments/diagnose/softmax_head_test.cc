#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/diagnose/linear_probe.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using ::testing::ElementsAre;

constexpr size_t kRows = 5;
constexpr size_t kInputs = 3;
constexpr size_t kClasses = 4;
const std::vector<size_t> kTargets = {0, 3, 2, 2, 1};

// Mean cross-entropy, in double and straight from its definition.
double Loss(const std::vector<double>& parameters,
            const std::vector<float>& inputs) {
  double loss = 0;
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    double target = 0;
    for (size_t c = 0; c < kClasses; ++c) {
      double logit = parameters[kInputs * kClasses + c];
      for (size_t i = 0; i < kInputs; ++i) {
        logit += inputs[row * kInputs + i] * parameters[i * kClasses + c];
      }
      sum += std::exp(logit);
      if (c == kTargets[row]) target = logit;
    }
    loss += (std::log(sum) - target) / kRows;
  }
  return loss;
}

TEST(SoftmaxHeadTest, HasTheGradientOfTheLoss) {
  const std::vector<float> inputs = RandomValues(kRows * kInputs, 1);
  SoftmaxHead head(kInputs, kClasses);
  const std::vector<float> start =
      RandomValues(head.parameters().size(), /*seed=*/2);
  std::copy(start.begin(), start.end(), head.parameters().begin());

  std::vector<float> gradient(start.size());
  head.Gradient({inputs.data(), kRows, kInputs}, kTargets, gradient);

  for (size_t i = 0; i < start.size(); ++i) {
    constexpr double kStep = 1e-4;
    std::vector<double> above(start.begin(), start.end());
    std::vector<double> below = above;
    above[i] += kStep;
    below[i] -= kStep;
    const double slope =
        (Loss(above, inputs) - Loss(below, inputs)) / (2 * kStep);
    EXPECT_NEAR(gradient[i], slope, 1e-6) << i;
  }
}

TEST(SoftmaxHeadTest, PredictsTheLargestLogit) {
  SoftmaxHead head(1, 2);
  const std::vector<float> inputs = {2, -1, 0.5};
  EXPECT_THAT(head.Predict({inputs.data(), 3, 1}), ElementsAre(0u, 0u, 0u));

  head.parameters()[1] = 1;  // Class 1 has z - 1, class 0 nothing.
  head.parameters()[3] = -1;

  EXPECT_THAT(head.Predict({inputs.data(), 3, 1}), ElementsAre(1u, 0u, 0u));
}

}  // namespace
}  // namespace ladder::experiments
