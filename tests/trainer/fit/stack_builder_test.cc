#include "trainer/fit/stack_builder.h"

#include <torch/utils.h>

#include <numeric>
#include <stop_token>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/sinkhorn_distance.h"
#include "tests/trainer/fit/small_run.h"

namespace ladder::trainer {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr int64_t kContent = 2;
constexpr int64_t kStyle = 3;

// A cloud whose columns have means and scales of their own.
torch::Tensor RandomStyles(int64_t rows, double shift) {
  return (torch::randn({rows, kStyle}) + shift) *
         torch::tensor({1.f, 10.f, 0.1f});
}

class StackBuilderTest : public ::testing::Test {
 protected:
  StackBuilderTest() {
    torch::manual_seed(21);
    for (int64_t source = 0; source < kNumSources; ++source) {
      const auto shift = static_cast<double>(source);
      summaries_.push_back({.weight = torch::randn({kNumClasses, kContent}),
                            .bias = torch::randn({kNumClasses}),
                            .style = RandomStyles(12 + source, shift),
                            .held_out = RandomStyles(10, shift)});
    }
  }

  absl::StatusOr<TrainedStack> Build(const routing::Execution& execution = {}) {
    return BuildStack(run_.options, run_.dataset, run_.selection, summaries_,
                      execution);
  }

  torch::Tensor AllStyles() const {
    std::vector<torch::Tensor> all;
    for (const SourceSummary& summary : summaries_) {
      all.push_back(summary.style);
    }
    return torch::cat(all).to(torch::kDouble);
  }

  // Row e: the distances from source e's fingerprint to all, worked out by the
  // router's own distance.
  std::vector<std::vector<double>> ExpectedDistances() const {
    const torch::Tensor all = AllStyles();
    const torch::Tensor mean = all.mean(0);
    const torch::Tensor std = all.std(0, /*unbiased=*/false);
    std::vector<torch::Tensor> normalized;
    std::vector<routing::MatrixView> views;
    for (const SourceSummary& summary : summaries_) {
      normalized.push_back(
          ((summary.style.to(torch::kDouble) - mean) / (std + 1e-6))
              .to(torch::kFloat)
              .contiguous());
      views.push_back({normalized.back().data_ptr<float>(),
                       static_cast<size_t>(summary.style.size(0)), kStyle});
    }
    const routing::SinkhornDistance distance(
        routing::Fingerprints::Create(views, {}, {}).value());
    std::vector<size_t> sources(kNumSources);
    std::iota(sources.begin(), sources.end(), size_t{0});
    std::vector<std::vector<double>> rows(kNumSources,
                                          std::vector<double>(kNumSources));
    for (const size_t e : sources) {
      EXPECT_TRUE(distance.Compute(views[e], sources, rows[e], {}).ok());
    }
    return rows;
  }

  SmallRun run_;
  std::vector<SourceSummary> summaries_;
};

TEST_F(StackBuilderTest, StylesAreNormalisedByAllFingerprintsTogether) {
  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  const torch::Tensor mean = AllStyles().mean(0);
  const torch::Tensor std = AllStyles().std(0, /*unbiased=*/false);
  for (int64_t i = 0; i < kStyle; ++i) {
    const auto column = static_cast<size_t>(i);
    EXPECT_NEAR(stack->styles.normalizer.mean()[column], mean[i].item<double>(),
                1e-5);
    EXPECT_NEAR(stack->styles.normalizer.std()[column], std[i].item<double>(),
                1e-5);
  }
}

TEST_F(StackBuilderTest, SourceDistancesAreTheRouters) {
  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  const std::vector<std::vector<double>> expected = ExpectedDistances();
  ASSERT_EQ(stack->source_distances.size(), kNumSources * kNumSources);
  for (size_t e = 0; e < kNumSources; ++e) {
    for (size_t f = 0; f < kNumSources; ++f) {
      const double found = stack->source_distances[e * kNumSources + f];
      EXPECT_EQ(found, stack->source_distances[f * kNumSources + e]);
      if (e == f) {
        EXPECT_EQ(found, 0);
      } else {
        EXPECT_GT(found, 0);
        EXPECT_NEAR(found, expected[e][f], 1e-5);
      }
    }
  }
}

TEST_F(StackBuilderTest, SourcesThatAreAlikeAreAtDistanceZero) {
  summaries_[1].style = summaries_[0].style.clone();

  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_GE(stack->source_distances[1], 0) << "debiasing may round below zero";
  EXPECT_LT(stack->source_distances[1], 1e-5);
}

TEST_F(StackBuilderTest, SaysWhatTheSourcesAreAndStacksTheirHeads) {
  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_THAT(stack->classes, ElementsAreArray(run_.dataset.classes));
  ASSERT_EQ(stack->sources.size(), kNumSources);
  EXPECT_EQ(stack->sources[2].name, "s2");
  EXPECT_EQ(stack->sources[2].training_samples, kSamplesPerSource);
  EXPECT_EQ(stack->sources[2].fingerprint_samples, 14);
  EXPECT_EQ(stack->heads.weights()[2 * kNumClasses * kContent + 1],
            summaries_[2].weight[0][1].item<float>());
  EXPECT_EQ(stack->heads.bias()[3 * kNumClasses + 1],
            summaries_[3].bias[1].item<float>());
}

TEST_F(StackBuilderTest, CalibratesOnWhatWasHeldOut) {
  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  ASSERT_EQ(stack->coverage.levels.size(), 1) << "10 rows suffice for 8 only";
  EXPECT_EQ(stack->coverage.levels[0].sample_size, 8);
  EXPECT_EQ(stack->coverage.levels[0].num_sources, kNumSources);
  EXPECT_TRUE(stack->coverage.Validate().ok());
}

TEST_F(StackBuilderTest, IsNotCalibratedIfTooFewSourcesHaveHeldOutEnough) {
  summaries_[0].held_out = torch::zeros({0, kStyle});
  summaries_[1].held_out = RandomStyles(7, 1);

  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_THAT(stack->coverage.levels, IsEmpty());
}

TEST_F(StackBuilderTest, RoutingIsAsTheOptionsSay) {
  run_.options.k = 2;
  run_.options.tau = 0.25;
  run_.options.blur = 0.1;
  run_.options.scaling = 0.7;
  run_.options.max_style_samples = 99;
  run_.options.seed = 5;

  const auto stack = Build();

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ(stack->routing.k, 2);
  EXPECT_EQ(stack->routing.tau, 0.25);
  EXPECT_EQ(stack->routing.sinkhorn.blur, 0.1);
  EXPECT_EQ(stack->routing.sinkhorn.scaling, 0.7);
  EXPECT_EQ(stack->styles.fingerprints.options().blur, 0.1);
  EXPECT_EQ(stack->routing.max_style_samples, 99);
  EXPECT_EQ(stack->routing.seed, 5);
}

TEST_F(StackBuilderTest, KIsCutToTheNumberOfSources) {
  run_.options.k = kNumSources + 1;
  const auto cut = Build();
  run_.options.k = 0;
  const auto all = Build();

  ASSERT_TRUE(cut.ok()) << cut.status();
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(cut->routing.k, kNumSources);
  EXPECT_EQ(all->routing.k, routing::kAllSources);
}

TEST_F(StackBuilderTest, CanBeStopped) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_EQ(Build({.stop = stop.get_token()}).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace ladder::trainer
