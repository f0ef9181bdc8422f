#include "experiments/simulate/networks.h"

#include <cmath>
#include <vector>

#include "experiments/simulate/linear_fit.h"
#include "gtest/gtest.h"
#include "tests/experiments/simulate/small_domain.h"

namespace ladder::experiments {
namespace {

std::vector<SimulatedDomain> SmallDomains() {
  return {SmallDomain(50), SmallDomain(51), SmallDomain(52)};
}

TEST(StyleHyperNetTest, LearnsAHeadForEveryDomain) {
  const std::vector<SimulatedDomain> domains = SmallDomains();
  RandomDraws draws(62);
  StyleHyperNet net(draws);

  net.Fit(domains);

  for (const SimulatedDomain& domain : domains) {
    const Scores scores =
        ScoresOf(domain.content.matmul(net.HeadsFor(domain.summary)[0].t()),
                 domain.labels);
    EXPECT_GE(scores[kSimAccuracy], 80);
  }
}

TEST(PooledMlpTest, LearnsTheLabelsOfAFewSamples) {
  const std::vector<SimulatedDomain> domains = SmallDomains();
  RandomDraws draws(63);
  PooledMlp mlp(draws);

  mlp.Fit(domains);

  for (const SimulatedDomain& domain : domains) {
    EXPECT_GE(ScoresOf(mlp.Logits(NetworkFeatures(domain).t()).t(),
                       domain.labels)[kSimAccuracy],
              95);
  }
}

TEST(ScoresTest, FollowTheirDefinitionsAndGiveTiesToTheLowestClass) {
  torch::Tensor logits = torch::zeros({2, 2});
  logits[1][1] = std::log(3.0);  // 1/2, 1/2 and 1/4, 3/4.

  const Scores scores = ScoresOf(logits, torch::zeros({2}, torch::kLong));

  EXPECT_EQ(scores[kSimAccuracy], 50);
  EXPECT_NEAR(scores[kSimBrier], (0.5 + 2 * 0.5625) / 2, 1e-6);
  EXPECT_TRUE(std::isnan(scores[kSimParameterError]));
}

TEST(ScoresTest, ParameterErrorIsTheFrobeniusDistance) {
  EXPECT_DOUBLE_EQ(ParameterError(torch::tensor({1.0F, 2.0F, 3.0F}),
                                  torch::tensor({1.0F, 5.0F, -1.0F})),
                   5);
}

}  // namespace
}  // namespace ladder::experiments
