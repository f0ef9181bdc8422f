#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "tests/trainer/encode/served_bundle.h"
#include "trainer/encode/trained_bundle.h"

namespace ladder::trainer {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

constexpr size_t kNumSources = 3;
constexpr size_t kNumClasses = 4;
constexpr size_t kContentDimension = 5;

// All different, so that no two can be confused.
std::vector<float> Values(size_t count, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = step * static_cast<float>(i + 1) - 1;
  }
  return values;
}

const std::vector<float>& Weights() {
  static const auto* const weights = new std::vector<float>(
      Values(kNumSources * kNumClasses * kContentDimension, 0.03f));
  return *weights;
}

const std::vector<float>& Bias() {
  static const auto* const bias =
      new std::vector<float>(Values(kNumSources * kNumClasses, -0.17f));
  return *bias;
}

model_store::BundleContents Contents() {
  model_store::BundleContents contents = model_store::TinyBundle();
  contents.heads =
      model_store::BuildHeadsGraph(
          routing::LinearHeads::Create(kNumSources, kNumClasses,
                                       kContentDimension, Weights(), Bias())
              .value())
          .value();
  contents.manifest.source_distances = {0, 1, 2, 1, 0, 3, 2, 3, 0};
  contents.manifest.routing.method = routing::Method::kNearest;
  contents.manifest.routing.k = 3;
  contents.manifest.routing.tau = 0.25;
  contents.manifest.routing.seed = 11;
  contents.manifest.routing.max_style_samples = 99;
  return contents;
}

TEST(StackOfTest, ReadsTheHeadsBackFromTheGraph) {
  const ServedBundle bundle(Contents());

  const auto stack = StackOf(*bundle.Load(), Contents().styles);

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ(stack->heads.num_sources(), kNumSources);
  EXPECT_EQ(stack->heads.num_classes(), kNumClasses);
  EXPECT_EQ(stack->heads.dimension(), kContentDimension);
  EXPECT_THAT(stack->heads.weights(), Pointwise(FloatNear(1e-6f), Weights()));
  EXPECT_THAT(stack->heads.bias(), Pointwise(FloatNear(1e-6f), Bias()));
}

TEST(StackOfTest, TakesTheRestFromTheManifest) {
  const ServedBundle bundle(Contents());
  const model_store::Manifest expected = Contents().manifest;

  const auto stack = StackOf(*bundle.Load(), Contents().styles);

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ(stack->classes, expected.classes);
  ASSERT_EQ(stack->sources.size(), kNumSources);
  for (size_t e = 0; e < kNumSources; ++e) {
    const model_store::Source& source = stack->sources[e];
    EXPECT_EQ(source.name, expected.sources[e].name);
    EXPECT_EQ(source.training_samples, expected.sources[e].training_samples);
    EXPECT_EQ(source.fingerprint_samples,
              expected.sources[e].fingerprint_samples);
  }
  ASSERT_EQ(stack->coverage.levels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const auto& level = stack->coverage.levels[i];
    EXPECT_EQ(level.sample_size, expected.coverage.levels[i].sample_size);
    EXPECT_EQ(level.num_sources, expected.coverage.levels[i].num_sources);
    EXPECT_EQ(level.quantiles, expected.coverage.levels[i].quantiles);
  }
  EXPECT_EQ(stack->source_distances, expected.source_distances);
  EXPECT_EQ(stack->routing.method, routing::Method::kNearest);
  EXPECT_EQ(stack->routing.k, 3u);
  EXPECT_EQ(stack->routing.tau, 0.25);
  EXPECT_EQ(stack->routing.seed, 11u);
  EXPECT_EQ(stack->routing.max_style_samples, 99u);
}

TEST(StackOfTest, KeepsTheStylesItIsGiven) {
  const ServedBundle bundle(Contents());

  const auto stack = StackOf(*bundle.Load(), Contents().styles);

  ASSERT_TRUE(stack.ok()) << stack.status();
  EXPECT_EQ(model_store::SerializeFingerprints(stack->styles),
            model_store::SerializeFingerprints(Contents().styles));
}

}  // namespace
}  // namespace ladder::trainer
