#include <torch/utils.h>

#include "gtest/gtest.h"
#include "trainer/fit/source_stage.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kSamples = 30;

// Three classes, on three rays.
struct Samples {
  torch::Tensor content = torch::zeros({kSamples, 2});
  torch::Tensor labels = torch::arange(kSamples) % 3;

  Samples() {
    const torch::Tensor rays =
        torch::tensor({{2., 0.}, {-2., 2.}, {-2., -2.}}, torch::kFloat);
    const torch::Tensor lengths = torch::linspace(1, 2, kSamples).unsqueeze(1);
    content = rays.index_select(0, labels) * lengths;
  }
};

Head ZeroHead() { return {torch::zeros({3, 2}), torch::zeros({3})}; }

torch::Tensor Classes(const Head& head, const torch::Tensor& content) {
  return (content.matmul(head.weight.t()) + head.bias).argmax(1);
}

bool SameHead(const Head& a, const Head& b) {
  return torch::equal(a.weight, b.weight) && torch::equal(a.bias, b.bias);
}

TEST(HeadFitterTest, FitsSeparableSamples) {
  const Samples samples;

  const FittedHead fitted = FitHead(samples.content, samples.labels, ZeroHead(),
                                    {.num_updates = 300, .learning_rate = 0.1});

  EXPECT_LT(fitted.mean_loss, 0.01);
  EXPECT_TRUE(
      torch::equal(Classes(fitted.head, samples.content), samples.labels));
  EXPECT_FALSE(fitted.head.weight.requires_grad());
}

TEST(HeadFitterTest, DependsOnTheSeedAlone) {
  const Samples samples;
  const auto fit = [&](uint64_t seed) {
    return FitHead(samples.content, samples.labels, ZeroHead(),
                   {.num_updates = 5, .seed = seed})
        .head;
  };

  EXPECT_TRUE(SameHead(fit(1), fit(1)));
  EXPECT_FALSE(SameHead(fit(1), fit(2)));
}

TEST(HeadFitterTest, NothingIsLearnedFromAClassOfWeightZero) {
  const Samples samples;
  const torch::Tensor is_last = samples.labels.eq(2).unsqueeze(1);
  const torch::Tensor moved =
      torch::where(is_last, samples.content + 1, samples.content);
  HeadOptions options = {.num_updates = 100, .learning_rate = 0.1};
  const auto same = [&] {
    const auto fit = [&](const torch::Tensor& content) {
      return FitHead(content, samples.labels, ZeroHead(), options).head;
    };
    return SameHead(fit(samples.content), fit(moved));
  };

  EXPECT_FALSE(same());
  options.class_weights = torch::tensor({1., 1., 0.}, torch::kFloat);
  EXPECT_TRUE(same());
}

TEST(HeadFitterTest, WithoutUpdatesIsWhereItStarts) {
  const Samples samples;
  torch::manual_seed(3);
  const Head start = {torch::randn({3, 2}), torch::randn({3})};

  const FittedHead fitted =
      FitHead(samples.content, samples.labels, start, {.num_updates = 0});

  EXPECT_TRUE(SameHead(fitted.head, start));
  const torch::Tensor logits =
      samples.content.matmul(start.weight.t()) + start.bias;
  const double loss = -logits.log_softmax(1)
                           .gather(1, samples.labels.unsqueeze(1))
                           .mean()
                           .item<double>();
  EXPECT_NEAR(fitted.mean_loss, loss, 1e-6);
}

TEST(HeadFitterTest, TheFirstUpdateIsAStepAgainstTheGradient) {
  const Samples samples;
  torch::manual_seed(3);
  const Head start = {torch::randn({3, 2}), torch::randn({3})};
  const Head before = {start.weight.clone(), start.bias.clone()};
  constexpr double kRate = 0.01;

  const FittedHead fitted = FitHead(samples.content, samples.labels, start,
                                    {.num_updates = 1,
                                     .batch_size = kSamples,
                                     .learning_rate = kRate,
                                     .weight_decay = 0});

  // AdamW's first step is the rate times the gradient's sign.
  const torch::Tensor errors =
      (samples.content.matmul(start.weight.t()) + start.bias).softmax(1) -
      torch::one_hot(samples.labels, 3);
  const Head step = {-kRate * errors.t().matmul(samples.content).sign(),
                     -kRate * errors.sum(0).sign()};
  EXPECT_TRUE(torch::allclose(fitted.head.weight, start.weight + step.weight,
                              /*rtol=*/0, /*atol=*/1e-5));
  EXPECT_TRUE(torch::allclose(fitted.head.bias, start.bias + step.bias,
                              /*rtol=*/0, /*atol=*/1e-5));
  EXPECT_TRUE(SameHead(start, before)) << "the start itself was changed";
}

}  // namespace
}  // namespace ladder::trainer
