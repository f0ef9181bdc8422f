#include "experiments/adamw.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::experiments {
namespace {

TEST(AdamWTest, TakesTheFirstStepsOfPencilAndPaper) {
  AdamW optimizer(1, {.learning_rate = 0.1, .weight_decay = 0.5});
  std::vector<float> parameter = {2};

  // The first step has the length of the rate, whatever the gradient: 2 (1 -
  // 0.05) - 0.1.
  optimizer.Step(std::vector<float>{4}, parameter);
  EXPECT_NEAR(parameter[0], 1.8, 1e-6);

  // m = 0.9 0.4 - 0.1 2 = 0.16, v = 0.999 0.016 + 0.001 4 = 0.019984, scaled by
  // 1 - 0.81 and 1 - 0.998001.
  optimizer.Step(std::vector<float>{-2}, parameter);
  EXPECT_NEAR(parameter[0],
              1.8 * 0.95 - 0.1 * (0.16 / 0.19) / std::sqrt(0.019984 / 0.001999),
              1e-6);
}

TEST(AdamWTest, DecaysWhatHasNoGradient) {
  AdamW optimizer(2, {.learning_rate = 0.5, .weight_decay = 0.2});
  std::vector<float> parameters = {1, -3};

  optimizer.Step(std::vector<float>{0, 0}, parameters);

  EXPECT_NEAR(parameters[0], 0.9, 1e-6);
  EXPECT_NEAR(parameters[1], -2.7, 1e-6);
}

TEST(AdamWTest, FindsTheMinimumOfAParabola) {
  AdamW optimizer(1, {.learning_rate = 0.05, .weight_decay = 0});
  std::vector<float> parameter = {5};
  for (int i = 0; i < 2000; ++i) {
    optimizer.Step(std::vector<float>{2 * (parameter[0] - 3)}, parameter);
  }
  EXPECT_NEAR(parameter[0], 3, 1e-3);
}

}  // namespace
}  // namespace ladder::experiments
