#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/graphs/bundle_graphs.h"
#include "onnx/checker.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "routing/linear_heads.h"
#include "tests/model_store/cuda_kernels.h"
#include "tests/model_store/onnx_runner.h"
#include "tests/routing/cloud.h"

namespace ladder::model_store {
namespace {

using routing::Cloud;
using routing::LinearHeads;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Cloud Normal(size_t rows, size_t cols, uint64_t seed) {
  return routing::NormalCloud(rows, std::vector<double>(cols, 0.0), 1, seed);
}

LinearHeads MakeHeads(size_t sources, size_t classes, size_t dimension) {
  return LinearHeads::Create(sources, classes, dimension,
                             Normal(sources * classes, dimension, 1).values,
                             Normal(sources, classes, 2).values)
      .value();
}

// Rows that are not negative and sum to one.
Cloud RandomWeights(size_t rows, size_t sources, uint64_t seed) {
  Cloud weights = Normal(rows, sources, seed);
  for (size_t i = 0; i < rows; ++i) {
    float* row = &weights.values[i * sources];
    double sum = 0;
    for (size_t e = 0; e < sources; ++e) sum += row[e] = std::exp(row[e]);
    for (size_t e = 0; e < sources; ++e) row[e] /= static_cast<float>(sum);
  }
  return weights;
}

FloatTensor ToTensor(const Cloud& cloud) {
  return {.shape = {static_cast<int64_t>(cloud.rows),
                    static_cast<int64_t>(cloud.cols)},
          .values = cloud.values};
}

FloatTensor GraphLogits(const LinearHeads& heads, const Cloud& z_c,
                        const Cloud& weights) {
  const OnnxRunner runner(BuildHeadsGraph(heads).value());
  return runner.Run(
      {{"z_c", ToTensor(z_c)}, {"weights", ToTensor(weights)}})["logits"];
}

// Within 1e-5 of `expected`, on the scale of its largest value: a logit near
// zero is a difference of large products.
void ExpectNear(const FloatTensor& logits, const std::vector<float>& expected) {
  ASSERT_EQ(logits.values.size(), expected.size());
  float scale = 0;
  for (const float value : expected) scale = std::max(scale, std::abs(value));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(logits.values[i], expected[i], 1e-5 * scale) << "at " << i;
  }
}

void ExpectMixedHead(const LinearHeads& heads, const Cloud& z_c,
                     const Cloud& weights) {
  const auto mixed = heads.Mix(
      std::vector<double>(weights.values.begin(), weights.values.end()));
  std::vector<float> expected(z_c.rows * heads.num_classes());
  ASSERT_TRUE(Logits(mixed.value(), z_c.View(), expected).ok());

  const FloatTensor logits = GraphLogits(heads, z_c, weights);

  EXPECT_THAT(logits.shape, ElementsAre(z_c.rows, heads.num_classes()));
  ExpectNear(logits, expected);
}

void ExpectMixedPerSample(const LinearHeads& heads, const Cloud& z_c,
                          const Cloud& weights) {
  std::vector<float> expected(z_c.rows * heads.num_classes());
  ASSERT_TRUE(
      heads.MixedLogitsPerSample(z_c.View(), weights.View(), expected).ok());

  const FloatTensor logits = GraphLogits(heads, z_c, weights);

  EXPECT_THAT(logits.shape, ElementsAre(z_c.rows, heads.num_classes()));
  ExpectNear(logits, expected);
}

TEST(HeadsGraphTest, MixesTheHeadsOnceForOneRowOfWeights) {
  const LinearHeads heads = MakeHeads(/*sources=*/11, /*classes=*/62, 128);
  for (const size_t n : {1, 2, 33}) {
    ExpectMixedHead(heads, Normal(n, 128, 3), RandomWeights(1, 11, 4));
  }
}

TEST(HeadsGraphTest, GivesEverySampleItsOwnMixture) {
  const LinearHeads heads = MakeHeads(/*sources=*/11, /*classes=*/62, 128);
  for (const size_t n : {2, 33}) {
    ExpectMixedPerSample(heads, Normal(n, 128, 3), RandomWeights(n, 11, 4));
  }
}

TEST(HeadsGraphTest, HandlesTheLargestHeadsOfThePaper) {
  const LinearHeads heads = MakeHeads(/*sources=*/64, /*classes=*/182, 64);

  ExpectMixedHead(heads, Normal(16, 64, 3), RandomWeights(1, 64, 4));
  ExpectMixedPerSample(heads, Normal(16, 64, 3), RandomWeights(16, 64, 4));
}

TEST(HeadsGraphTest, WorksForOneOfEverything) {
  const LinearHeads heads = MakeHeads(1, 1, 1);

  ExpectMixedHead(heads, Normal(1, 1, 3), RandomWeights(1, 1, 4));
  ExpectMixedPerSample(heads, Normal(5, 1, 3), RandomWeights(5, 1, 4));
}

TEST(HeadsGraphTest, OfOneExpertIsThatExpert) {
  const LinearHeads heads = MakeHeads(5, 7, 16);
  const Cloud z_c = Normal(3, 16, 3);
  std::vector<float> expected(z_c.rows * heads.num_classes());
  ASSERT_TRUE(heads.ExpertLogits(2, z_c.View(), expected).ok());
  const Cloud one_hot{.rows = 1, .cols = 5, .values = {0, 0, 1, 0, 0}};
  const Cloud one_hots{.rows = 3,
                       .cols = 5,
                       .values = {0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}};

  ExpectNear(GraphLogits(heads, z_c, one_hot), expected);
  ExpectNear(GraphLogits(heads, z_c, one_hots), expected);
}

TEST(HeadsGraphTest, WeightsOfZeroGiveZeroLogits) {
  const LinearHeads heads = MakeHeads(3, 2, 4);
  const Cloud zeros{.rows = 1, .cols = 3, .values = {0, 0, 0}};

  EXPECT_THAT(GraphLogits(heads, Normal(1, 4, 3), zeros).values,
              ElementsAre(0, 0));
}

TEST(HeadsGraphTest, RefusesAnotherNumberOfWeightRowsThanSamples) {
  const LinearHeads heads = MakeHeads(3, 2, 4);

  EXPECT_ANY_THROW(GraphLogits(heads, Normal(5, 4, 3), RandomWeights(2, 3, 4)));
}

TEST(HeadsGraphTest, StoresTheParametersOnce) {
  const LinearHeads heads = MakeHeads(8, 20, 100);
  const size_t parameters = 8 * 20 * (100 + 1) * sizeof(float);

  EXPECT_LT(BuildHeadsGraph(heads).value().size(), parameters + 4096);
}

TEST(HeadsGraphTest, IsValidWithShapesThatFollowFromItsInputs) {
  onnx::ModelProto model;
  ASSERT_TRUE(
      model.ParseFromString(BuildHeadsGraph(MakeHeads(3, 5, 4)).value()));

  EXPECT_NO_THROW(onnx::checker::check_model(model));
  EXPECT_NO_THROW(onnx::shape_inference::InferShapes(
      model, onnx::OpSchemaRegistry::Instance(),
      {/*check_type=*/true, /*strict_mode=*/1}));
}

TEST(HeadsGraphTest, HasACudaKernelForEveryNode) {
  EXPECT_THAT(FindNodesOffDevice(BuildHeadsGraph(MakeHeads(3, 5, 4)).value()),
              IsEmpty());
}

}  // namespace
}  // namespace ladder::model_store
