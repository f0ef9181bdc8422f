#include "experiments/simulate/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "experiments/simulate/features.h"
#include "gtest/gtest.h"
#include "tests/experiments/simulate/small_domain.h"

namespace ladder::experiments {
namespace {

constexpr size_t kParameters = kSimClasses * kSimContent;

// Risk and IRM's slope as their definitions say, in double.
struct Reference {
  double risk = 0;
  double slope = 0;
};

Reference ReferenceOf(const SimulatedDomain& domain,
                      std::span<const float> head) {
  Reference reference;
  for (size_t row = 0; row < domain.labels.size(); ++row) {
    double logits[kSimClasses] = {};
    double sum = 0;
    for (size_t k = 0; k < kSimClasses; ++k) {
      for (size_t j = 0; j < kSimContent; ++j) {
        logits[k] += static_cast<double>(head[k * kSimContent + j]) *
                     static_cast<double>(domain.content.Column(j)[row]);
      }
      sum += std::exp(logits[k]);
    }
    for (size_t k = 0; k < kSimClasses; ++k) {
      const double y = domain.labels[row] == k ? 1 : 0;
      const double p = std::exp(logits[k]) / sum;
      reference.risk -= y * std::log(p);
      reference.slope += (p - y) * logits[k];
    }
  }
  const auto rows = static_cast<double>(domain.labels.size());
  return {reference.risk / rows, reference.slope / rows};
}

double ObjectiveOf(const std::vector<SimulatedDomain>& domains,
                   LinearObjective objective, std::span<const float> head) {
  std::vector<double> risks;
  double penalty = 0;
  for (const SimulatedDomain& domain : domains) {
    const Reference reference = ReferenceOf(domain, head);
    risks.push_back(reference.risk);
    penalty += reference.slope * reference.slope;
  }
  const auto count = static_cast<double>(risks.size());
  double mean = 0;
  for (const double risk : risks) mean += risk / count;
  double variance = 0;
  for (const double risk : risks) variance += (risk - mean) * (risk - mean);
  std::sort(risks.begin(), risks.end());
  switch (objective) {
    case LinearObjective::kErm:
      return mean;
    case LinearObjective::kIrm:
      return mean + 30 * penalty / count;
    case LinearObjective::kEqrm:
      return risks[6];  // Of nine.
    case LinearObjective::kRdm:
      return mean + variance / count;
  }
  return 0;
}

class LinearFitTest : public ::testing::Test {
 protected:
  LinearFitTest() {
    for (uint64_t seed = 0; seed < 9; ++seed) {
      domains_.push_back(SmallDomain(seed));
    }
    features_ = FeaturesOf(domains_, ContentFeatures);
  }

  std::vector<SimulatedDomain> domains_;
  std::vector<LabelledFeatures> features_;
};

TEST_F(LinearFitTest, RiskAndSlopeFollowTheirDefinitions) {
  const std::vector<float> head = RandomParameters(kParameters, /*seed=*/30);
  for (size_t e = 0; e < domains_.size(); ++e) {
    const Reference expected = ReferenceOf(domains_[e], head);

    EXPECT_NEAR(RiskOf(features_[e], head).risk, expected.risk, 1e-5);
    EXPECT_NEAR(ScaleSlopeOf(features_[e], head).slope, expected.slope, 1e-5);
  }
}

TEST_F(LinearFitTest, GradientsAreThoseOfTheObjectives) {
  using enum LinearObjective;
  const std::vector<float> head = RandomParameters(kParameters, /*seed=*/31);
  for (const LinearObjective objective : {kErm, kIrm, kEqrm, kRdm}) {
    const std::vector<float> gradient =
        ObjectiveGradient(features_, objective, head);

    for (size_t i = 0; i < kParameters; ++i) {
      const double expected = DifferenceSlope(
          [&](std::span<const float> at) {
            return ObjectiveOf(domains_, objective, at);
          },
          head, i);
      EXPECT_NEAR(gradient[i], expected, 2e-3 * (1 + std::abs(expected)))
          << "objective " << static_cast<int>(objective) << ", parameter " << i;
    }
  }
}

TEST_F(LinearFitTest, TrainingLowersTheObjective) {
  using enum LinearObjective;
  const std::vector<float> zero(kParameters, 0);
  for (const LinearObjective objective : {kErm, kIrm, kEqrm, kRdm}) {
    EXPECT_LT(ObjectiveOf(domains_, objective, FitLinear(features_, objective)),
              ObjectiveOf(domains_, objective, zero));
  }
}

TEST_F(LinearFitTest, OneDomainAloneIsFittedBetterThanWithOthers) {
  const auto own = std::span(features_).first(1);

  EXPECT_LT(
      RiskOf(own[0], FitLinear(own, LinearObjective::kErm)).risk,
      RiskOf(own[0], FitLinear(features_, LinearObjective::kErm)).risk - 0.1);
}

TEST(FeaturesTest, InteractionsAmountToAHeadThatTheSummaryMoves) {
  const SimulatedDomain domain = SmallDomain(40);
  const ColumnMatrix features = InteractionFeatures(domain);
  ASSERT_EQ(features.cols, 98u);
  const std::vector<float> head =
      RandomParameters(kSimClasses * features.cols, /*seed=*/41);

  const ColumnMatrix logits = LinearLogits(features, head);
  const ColumnMatrix content = LinearLogits(
      domain.content, ContentPart(domain, InteractionFeatures, head));

  // They differ by an offset that is the same for every sample.
  for (size_t k = 0; k < kSimClasses; ++k) {
    float offset = 0;
    for (size_t s = 0; s < kSimStyle; ++s) {
      offset += head[k * features.cols + kSimContent + s] * domain.summary[s];
    }
    for (size_t row = 0; row < features.rows; ++row) {
      EXPECT_NEAR(logits.Column(k)[row], content.Column(k)[row] + offset, 1e-4);
    }
  }
}

}  // namespace
}  // namespace ladder::experiments
