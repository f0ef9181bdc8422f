#include <torch/optim/adamw.h>

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/onnx_check.h"
#include "tests/model_store/cuda_kernels.h"
#include "tests/model_store/onnx_runner.h"
#include "trainer/network/ladder_network.h"
#include "trainer/network/representation_loss.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

using model_store::FloatTensor;
using model_store::OnnxRunner;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kNumClasses = 4;
constexpr int64_t kNumSources = 3;
constexpr int64_t kContentDimension = 24;
constexpr int64_t kStyleDimension = 12;

struct Case {
  std::string name;
  std::string backbone;
  model_store::InputSpec input;
};

const Case kCases[] = {
    {"ResNet50", "resnet50",
     model_store::ImageInput{.height = 64, .width = 48}},
    {"ResNet18", "resnet18",
     model_store::ImageInput{.height = 64, .width = 64}},
    {"SmallCnn", "small-cnn",
     model_store::ImageInput{.height = 31, .width = 28}},
    {"SmallCnnOfTensors", "small-cnn",
     model_store::TensorInput{.shape = {1, 28, 28}}},
    {"Mlp", "mlp", model_store::TensorInput{.shape = {3, 5}}}};

torch::Tensor Samples(const Case& parameters, int64_t count) {
  std::vector<int64_t> shape = {count};
  for (const int64_t size : model_store::SampleShape(parameters.input)) {
    shape.push_back(size);
  }
  return 0.5 + 2 * torch::randn(shape);
}

std::shared_ptr<LadderNetwork> RandomNetwork(const Case& parameters) {
  return LadderNetwork::Create({.backbone = parameters.backbone,
                                .content_dimension = kContentDimension,
                                .style_dimension = kStyleDimension},
                               parameters.input, kNumClasses, kNumSources)
      .value();
}

// After a few steps all statistics of the batch normalisations, and its scales
// and shifts, differ from where they began.
std::shared_ptr<LadderNetwork> TrainedNetwork(const Case& parameters) {
  torch::manual_seed(11);
  auto network = RandomNetwork(parameters);
  torch::optim::AdamW optimizer(network->parameters(), /*lr=*/1e-2);
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor x = Samples(parameters, 8);
    optimizer.zero_grad();
    ComputeRepresentationLoss(*network, x, torch::randint(kNumClasses, {8}),
                              torch::randint(kNumSources, {8}), {})
        .total.backward();
    optimizer.step();
  }
  return network;
}

FloatTensor ToFloatTensor(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.contiguous();
  const float* data = values.data_ptr<float>();
  return {.shape = values.sizes().vec(),
          .values = {data, data + values.numel()}};
}

// The largest difference, relative to the root mean square of `expected`.
double RelativeError(const FloatTensor& found, const torch::Tensor& expected) {
  EXPECT_EQ(found.shape, expected.sizes().vec());
  const torch::Tensor values = torch::tensor(found.values).reshape(found.shape);
  return ((values - expected).abs().max() / expected.square().mean().sqrt())
      .item<double>();
}

class EncoderExportTest : public ::testing::TestWithParam<Case> {};

TEST_P(EncoderExportTest, AgreesWithLibTorchAfterTraining) {
  const auto network = TrainedNetwork(GetParam());
  const OnnxRunner runner(network->ExportEncoder().value());
  network->eval();
  const torch::NoGradGuard no_grad;

  for (const int64_t count : {1, 5}) {
    const torch::Tensor x = Samples(GetParam(), count);
    const auto outputs = runner.Run({{"x", ToFloatTensor(x)}});

    const auto codes = network->Encode(x);
    ASSERT_EQ(outputs.size(), 3);
    EXPECT_LE(RelativeError(outputs.at("z_c"), codes.content.mean), 1e-4);
    EXPECT_LE(RelativeError(outputs.at("z_s"), codes.style.mean), 1e-4);
    EXPECT_LE(RelativeError(outputs.at("gate"),
                            network->StyleDomainLogits(codes.style.mean)),
              1e-4);
  }
}

TEST_P(EncoderExportTest, IsTheSameInTrainingAndInEvaluation) {
  const auto network = RandomNetwork(GetParam());
  network->Encode(Samples(GetParam(), 4));  // Moves the running statistics.
  const std::string in_training = network->ExportEncoder().value();
  network->eval();

  EXPECT_TRUE(in_training == network->ExportEncoder().value());
}

TEST_P(EncoderExportTest, HasTheSignatureOfABundle) {
  const std::string model = RandomNetwork(GetParam())->ExportEncoder().value();
  model_store::Manifest manifest;
  manifest.sources.resize(kNumSources);
  manifest.content_dimension = kContentDimension;
  manifest.style_dimension = kStyleDimension;
  manifest.input = GetParam().input;

  EXPECT_EQ(model_store::CheckOnnxModel(
                std::as_bytes(std::span(model)), "encoder.onnx",
                model_store::EncoderSignature(manifest)),
            absl::OkStatus());
}

TEST_P(EncoderExportTest, HasACudaKernelForEveryNode) {
  const std::string model = RandomNetwork(GetParam())->ExportEncoder().value();

  EXPECT_THAT(model_store::FindNodesOffDevice(model), IsEmpty());
}

TEST_P(EncoderExportTest, RefusesANetworkThatDiverged) {
  const auto network = RandomNetwork(GetParam());
  {
    const torch::NoGradGuard no_grad;
    WeightsOf(*network).at("style.mean.bias")[2] =
        std::numeric_limits<float>::quiet_NaN();
  }

  const auto model = network->ExportEncoder();

  EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(model.status().message(),
            "style.mean.bias: expected finite numbers, found others");
}

INSTANTIATE_TEST_SUITE_P(Backbones, EncoderExportTest,
                         ::testing::ValuesIn(kCases), [](const auto& instance) {
                           return instance.param.name;
                         });

}  // namespace
}  // namespace ladder::trainer
