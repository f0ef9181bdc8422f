#include "trainer/network/backbone.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

using model_store::ImageInput;
using model_store::InputSpec;
using model_store::TensorInput;
using ::testing::HasSubstr;

InputSpec Pictures(int64_t height, int64_t width) {
  return ImageInput{.height = height, .width = width};
}

InputSpec Tensors(std::vector<int64_t> shape) {
  return TensorInput{.shape = std::move(shape)};
}

std::string ErrorOf(const std::string& name, const InputSpec& input) {
  const auto backbone = MakeBackbone(name, input);
  EXPECT_EQ(backbone.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(backbone.status().message());
}

TEST(BackboneTest, ListsTheNamesThatItKnows) {
  EXPECT_EQ(ErrorOf("resnet34", Pictures(64, 64)),
            "backbone: expected one of resnet50, resnet18, small-cnn, mlp, got "
            "\"resnet34\"");
}

TEST(BackboneTest, RefusesPicturesThatAreTooSmallForAResNet) {
  EXPECT_EQ(ErrorOf("resnet18", Pictures(31, 64)),
            "backbone resnet18: expected samples of shape [3, h, w] with h and "
            "w at least 32, got pictures of shape [3, 31, 64]");
  EXPECT_THAT(ErrorOf("resnet50", Pictures(64, 31)), HasSubstr("[3, 64, 31]"));
}

TEST(BackboneTest, RefusesTensorsWithoutThreeChannelsForAResNet) {
  EXPECT_THAT(ErrorOf("resnet50", Tensors({1, 64, 64})),
              HasSubstr("tensors of shape [1, 64, 64]"));
  EXPECT_THAT(ErrorOf("resnet50", Tensors({6})), HasSubstr("shape [6]"));
}

TEST(BackboneTest, RefusesWhatASmallCnnCannotPool) {
  EXPECT_EQ(ErrorOf("small-cnn", Pictures(7, 28)),
            "backbone small-cnn: expected samples of shape [c, h, w] with h "
            "and w at least 8, got pictures of shape [3, 7, 28]");
  EXPECT_THAT(ErrorOf("small-cnn", Tensors({28, 28})),
              HasSubstr("tensors of shape [28, 28]"));
}

TEST(BackboneTest, RefusesPicturesForAnMlp) {
  EXPECT_EQ(ErrorOf("mlp", Pictures(28, 28)),
            "backbone mlp: expected tensors, not pictures, of at least one "
            "element, got pictures of shape [3, 28, 28]");
  EXPECT_THAT(ErrorOf("mlp", Tensors({})), HasSubstr("shape []"));
  EXPECT_THAT(ErrorOf("mlp", Tensors({4, 0})), HasSubstr("shape [4, 0]"));
}

TEST(BackboneTest, GivesOneRowOfFeaturesPerSample) {
  const struct {
    std::string name;
    InputSpec input;
  } cases[] = {
      {"resnet18", Pictures(32, 40)},  {"small-cnn", Pictures(8, 8)},
      {"small-cnn", Pictures(28, 28)}, {"small-cnn", Tensors({1, 96, 65})},
      {"mlp", Tensors({7})},           {"mlp", Tensors({2, 3, 4})}};
  for (const auto& [name, input] : cases) {
    const auto backbone = MakeBackbone(name, input).value();
    std::vector<int64_t> shape = {5};
    for (const int64_t size : model_store::SampleShape(input)) {
      shape.push_back(size);
    }

    const torch::Tensor features = backbone->Forward(torch::randn(shape));

    EXPECT_EQ(features.sizes(),
              (std::vector{int64_t{5}, backbone->num_features()}))
        << name;
  }
}

TEST(BackboneTest, IsTheSameForTheSameSeed) {
  torch::manual_seed(5);
  const auto first = MakeBackbone("small-cnn", Pictures(28, 28)).value();
  torch::manual_seed(5);
  const auto second = MakeBackbone("small-cnn", Pictures(28, 28)).value();

  const NamedTensors weights = WeightsOf(*second);
  for (const auto& [name, weight] : WeightsOf(*first)) {
    EXPECT_TRUE(weight.equal(weights.at(name))) << name;
  }
}

TEST(BackboneTest, BringsTheColumnsOfTablesToOneScale) {
  const auto mlp = MakeBackbone("mlp", Tensors({3})).value();
  const torch::Tensor x = torch::randn({16, 3});
  const torch::Tensor in_other_units = x * torch::tensor({1e-1F, 1.0F, 1e5F}) +
                                       torch::tensor({0.0F, -3.0F, 1e5F});

  EXPECT_TRUE(torch::allclose(mlp->Forward(in_other_units), mlp->Forward(x),
                              /*rtol=*/1e-2, /*atol=*/1e-2));
}

}  // namespace
}  // namespace ladder::trainer
