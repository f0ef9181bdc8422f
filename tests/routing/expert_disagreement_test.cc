#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "routing/diagnostics.h"
#include "tests/routing/cloud.h"

namespace ladder::routing {
namespace {

// Experts that look at no covariate: expert e predicts softmax(biases[e]).
LinearHeads ConstantExperts(const std::vector<std::vector<float>>& biases) {
  std::vector<float> bias;
  for (const auto& row : biases)
    bias.insert(bias.end(), row.begin(), row.end());
  const std::vector<float> weights(bias.size(), 0);
  return LinearHeads::Create(biases.size(), biases[0].size(), /*dimension=*/1,
                             weights, bias)
      .value();
}

TEST(ExpertDisagreementTest, IsTheWeightedDistanceToTheMixture) {
  // Predictions (3/4, 1/4) and (1/4, 3/4); with weights 0.8 and 0.2 the mixture
  // is (0.65, 0.35), 0.1 from the first and 0.4 from the second.
  const float log3 = std::log(3.0f);
  const LinearHeads heads = ConstantExperts({{log3, 0}, {0, log3}});

  const auto disagreement = ExpertDisagreement(
      heads, std::vector<double>{0.8, 0.2}, Column({1, 2, 3}).View());

  EXPECT_NEAR(*disagreement, 0.8 * 0.1 + 0.2 * 0.4, 1e-6);
}

TEST(ExpertDisagreementTest, AveragesOverAllRowsOfALargeGroup) {
  // Logit 4 z against 0: opposite experts agree where z is 0 and differ by
  // tanh(2 |z|) / 2 from their mixture elsewhere.
  const LinearHeads heads =
      LinearHeads::Create(2, 2, 1, {4, 0, 0, 4}, {0, 0, 0, 0}).value();
  std::vector<float> z(1000, 0);
  std::fill(z.begin(), z.begin() + 250, 1.0f);

  const auto disagreement = ExpertDisagreement(
      heads, std::vector<double>{0.5, 0.5}, Column(z).View());

  EXPECT_NEAR(*disagreement, 0.25 * std::tanh(2.0) / 2, 1e-6);
}

TEST(ExpertDisagreementTest, IsZeroForExpertsThatAgree) {
  const LinearHeads heads = ConstantExperts({{1, 2}, {1, 2}, {1, 2}});

  const auto disagreement = ExpertDisagreement(
      heads, std::vector<double>{0.2, 0.3, 0.5}, Column({1}).View());

  EXPECT_NEAR(*disagreement, 0, 1e-7);
}

TEST(ExpertDisagreementTest, IsZeroForASingleExpertWhateverTheOthersSay) {
  const LinearHeads heads = ConstantExperts({{9, 0}, {0, 9}, {0, 0}});

  const auto disagreement = ExpertDisagreement(
      heads, std::vector<double>{0, 1, 0}, Column({1}).View());

  EXPECT_EQ(*disagreement, 0);
}

TEST(ExpertDisagreementTest, RefusesWhatDoesNotFit) {
  const LinearHeads heads = ConstantExperts({{1, 2}, {3, 4}});
  const auto code = [&](std::vector<double> weights, const Cloud& z_c) {
    return ExpertDisagreement(heads, weights, z_c.View()).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const double wide[] = {0, 0};
  const float nan = std::numeric_limits<float>::quiet_NaN();

  EXPECT_EQ(code({0.5, 0.5}, Column({1})), absl::StatusCode::kOk);
  EXPECT_EQ(code({1}, Column({1})), kInvalid);
  EXPECT_EQ(code({0.5, 0.4}, Column({1})), kInvalid);
  EXPECT_EQ(code({0.5, 0.5}, Column({})), kInvalid);
  EXPECT_EQ(code({0.5, 0.5}, Column({nan})), kInvalid);
  EXPECT_EQ(code({0.5, 0.5}, NormalCloud(2, wide, 1, 1)), kInvalid);
}

}  // namespace
}  // namespace ladder::routing
