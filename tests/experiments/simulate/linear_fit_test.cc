
#include "experiments/simulate/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "gtest/gtest.h"
#include "tests/experiments/simulate/small_domain.h"

namespace ladder::experiments {
namespace {

constexpr int64_t kClasses = kSimClasses;
constexpr int64_t kContent = kSimContent;

// Risk and IRM's slope as their definitions say, in double.
struct Reference {
  double risk = 0;
  double slope = 0;
};

Reference ReferenceOf(const SimulatedDomain& domain,
                      std::span<const float> head) {
  Reference reference;
  const auto content = domain.content.accessor<float, 2>();
  const auto labels = domain.labels.accessor<int64_t, 1>();
  for (int64_t row = 0; row < labels.size(0); ++row) {
    double logits[kSimClasses] = {};
    double sum = 0;
    for (int64_t k = 0; k < kClasses; ++k) {
      for (int64_t j = 0; j < kContent; ++j) {
        logits[k] +=
            static_cast<double>(head[static_cast<size_t>(k * kContent + j)]) *
            static_cast<double>(content[row][j]);
      }
      sum += std::exp(logits[k]);
    }
    for (int64_t k = 0; k < kClasses; ++k) {
      const double y = labels[row] == k ? 1 : 0;
      const double p = std::exp(logits[k]) / sum;
      reference.risk -= y * std::log(p);
      reference.slope += (p - y) * logits[k];
    }
  }
  const auto rows = static_cast<double>(labels.size(0));
  return {reference.risk / rows, reference.slope / rows};
}

double ReferenceObjective(const std::vector<SimulatedDomain>& domains,
                          LinearObjective objective,
                          std::span<const float> head) {
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
  LabelledFeatures features_;
};

TEST_F(LinearFitTest, RiskAndSlopeFollowTheirDefinitions) {
  const torch::Tensor head = RandomHead(kContent, /*seed=*/30);
  const std::vector<float> risks = ValuesOf(Risks(features_, head));
  const std::vector<float> slopes = ValuesOf(ScaleSlopes(features_, head));
  for (size_t e = 0; e < domains_.size(); ++e) {
    const Reference expected = ReferenceOf(domains_[e], ValuesOf(head));

    EXPECT_NEAR(risks[e], expected.risk, 1e-5);
    EXPECT_NEAR(slopes[e], expected.slope, 1e-5);
  }
}

TEST_F(LinearFitTest, GradientsAreThoseOfTheObjectives) {
  using enum LinearObjective;
  for (const LinearObjective objective : {kErm, kIrm, kEqrm, kRdm}) {
    torch::Tensor head = RandomHead(kContent, /*seed=*/31);
    const std::vector<float> start = ValuesOf(head);
    head.requires_grad_(true);
    ObjectiveOf(features_, objective, head).backward();
    const std::vector<float> gradient = ValuesOf(head.grad());

    for (size_t i = 0; i < start.size(); ++i) {
      const double expected = DifferenceSlope(
          [&](std::span<const float> at) {
            return ReferenceObjective(domains_, objective, at);
          },
          start, i);
      EXPECT_NEAR(gradient[i], expected, 2e-3 * (1 + std::abs(expected)))
          << "objective " << static_cast<int>(objective) << ", parameter " << i;
    }
  }
}

TEST_F(LinearFitTest, TrainingLowersTheObjective) {
  using enum LinearObjective;
  const std::vector<float> zero(kClasses * kContent, 0);
  for (const LinearObjective objective : {kErm, kIrm, kEqrm, kRdm}) {
    EXPECT_LT(ReferenceObjective(domains_, objective,
                                 ValuesOf(FitLinear(features_, objective))),
              ReferenceObjective(domains_, objective, zero));
  }
}

TEST_F(LinearFitTest, OneDomainAloneIsFittedBetterThanWithOthers) {
  const LabelledFeatures own =
      FeaturesOf(std::span(domains_).first(1), ContentFeatures);
  const auto risk = [&](const LabelledFeatures& sources) {
    return Risks(own, FitLinear(sources, LinearObjective::kErm)).item<double>();
  };

  EXPECT_LT(risk(own), risk(features_) - 0.1);
}

TEST(FeaturesTest, InteractionsAmountToAHeadThatTheSummaryMoves) {
  const SimulatedDomain domain = SmallDomain(40);
  const torch::Tensor features = InteractionFeatures(domain);
  ASSERT_EQ(features.size(1), 98);
  const torch::Tensor head = RandomHead(features.size(1), /*seed=*/41);

  const torch::Tensor logits = features.matmul(head.t());
  const torch::Tensor content =
      domain.content.matmul(ContentPart(domain, InteractionFeatures, head).t());

  // They differ by an offset that is the same for every sample.
  for (int64_t k = 0; k < kClasses; ++k) {
    float offset = 0;
    for (int64_t s = 0; s < static_cast<int64_t>(kSimStyle); ++s) {
      offset += head[k][kContent + s].item<float>() *
                domain.summary[0][s].item<float>();
    }
    for (int64_t row = 0; row < features.size(0); ++row) {
      EXPECT_NEAR(logits[row][k].item<float>(),
                  content[row][k].item<float>() + offset, 1e-4);
    }
  }
}

}  // namespace
}  // namespace ladder::experiments
