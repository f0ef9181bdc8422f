#include "experiments/simulate/networks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "experiments/simulate/column_matrix.h"
#include "experiments/simulate/features.h"
#include "experiments/simulate/scores.h"
#include "gtest/gtest.h"
#include "tests/experiments/simulate/small_domain.h"

namespace ladder::experiments {
namespace {

std::vector<SimulatedDomain> SmallDomains() {
  return {SmallDomain(50), SmallDomain(51), SmallDomain(52)};
}

// The slopes of a network's loss by every seventh of its parameters, found by
// moving them, are those of its gradient. A rectified unit that a step switches
// has no slope there, which a few may.
template <typename Network>
void ExpectGradient(Network& network, const std::vector<float>& gradient,
                    const std::function<double()>& loss) {
  ASSERT_EQ(gradient.size(), network.parameters().size());
  const std::vector<float> start(network.parameters().begin(),
                                 network.parameters().end());
  size_t num_wrong = 0;
  size_t num_seen = 0;
  for (size_t i = 0; i < start.size(); i += 7) {
    const double expected = DifferenceSlope(
        [&](std::span<const float> at) {
          std::ranges::copy(at, network.parameters().begin());
          return loss();
        },
        start, i);
    ++num_seen;
    const auto found = static_cast<double>(gradient[i]);
    if (std::abs(found - expected) > 1e-3 + 0.02 * std::abs(expected)) {
      ++num_wrong;
    }
  }
  EXPECT_LE(num_wrong, num_seen / 50);
}

TEST(StyleHyperNetTest, GradientIsThatOfTheMeanRisk) {
  const std::vector<SimulatedDomain> domains = SmallDomains();
  const auto features = FeaturesOf(domains, ContentFeatures);
  RandomDraws draws(60);
  StyleHyperNet net(draws);

  ExpectGradient(net, net.Gradient(domains, features), [&] {
    double risk = 0;
    for (size_t e = 0; e < domains.size(); ++e) {
      risk += RiskOf(features[e], net.HeadFor(domains[e].summary)).risk / 3;
    }
    return risk;
  });
}

TEST(PooledMlpTest, GradientIsThatOfTheMeanCrossEntropy) {
  const std::vector<SimulatedDomain> domains = SmallDomains();
  const auto features = FeaturesOf(domains, NetworkFeatures);
  RandomDraws draws(61);
  PooledMlp mlp(draws);

  ExpectGradient(mlp, mlp.Gradient(features), [&] {
    double loss = 0;
    for (const LabelledFeatures& part : features) {
      ColumnMatrix logits = mlp.Logits(part.features);
      loss += SoftmaxError(part.labels, logits) / 60;
    }
    return loss;
  });
}

TEST(StyleHyperNetTest, LearnsAHeadForEveryDomain) {
  const std::vector<SimulatedDomain> domains = SmallDomains();
  RandomDraws draws(62);
  StyleHyperNet net(draws);

  net.Fit(domains);

  for (const SimulatedDomain& domain : domains) {
    const Scores scores =
        ScoresOf(LinearLogits(domain.content, net.HeadFor(domain.summary)),
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
    EXPECT_GE(ScoresOf(mlp.Logits(NetworkFeatures(domain)),
                       domain.labels)[kSimAccuracy],
              95);
  }
}

TEST(ScoresTest, FollowTheirDefinitionsAndGiveTiesToTheLowestClass) {
  ColumnMatrix logits(2, 2);
  logits.Column(1)[1] = std::log(3.0F);  // 1/2, 1/2 and 1/4, 3/4.
  const std::vector<uint8_t> labels = {0, 0};

  const Scores scores = ScoresOf(logits, labels);

  EXPECT_EQ(scores[kSimAccuracy], 50);
  EXPECT_NEAR(scores[kSimBrier], (0.5 + 2 * 0.5625) / 2, 1e-6);
  EXPECT_TRUE(std::isnan(scores[kSimParameterError]));
}

TEST(ScoresTest, ParameterErrorIsTheFrobeniusDistance) {
  EXPECT_DOUBLE_EQ(
      ParameterError(std::vector<float>{1, 2, 3}, std::vector<float>{1, 5, -1}),
      5);
}

}  // namespace
}  // namespace ladder::experiments
