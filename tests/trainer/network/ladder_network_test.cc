#include "trainer/network/ladder_network.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;

const model_store::InputSpec kInput = model_store::TensorInput{.shape = {6}};

NetworkOptions SmallOptions() {
  return {.backbone = "mlp", .content_dimension = 5, .style_dimension = 4};
}

std::shared_ptr<LadderNetwork> SmallNetwork(
    const NetworkOptions& options = SmallOptions()) {
  torch::manual_seed(1);
  return LadderNetwork::Create(options, kInput, /*num_classes=*/3,
                               /*num_sources=*/2)
      .value();
}

std::vector<int64_t> Shape(const torch::Tensor& tensor) {
  return tensor.sizes().vec();
}

TEST(LadderNetworkTest, RefusesNumbersBelowOne) {
  const auto error = [](NetworkOptions options, int64_t num_classes,
                        int64_t num_sources) {
    const auto network =
        LadderNetwork::Create(options, kInput, num_classes, num_sources);
    EXPECT_EQ(network.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(network.status().message());
  };
  NetworkOptions no_content = SmallOptions();
  no_content.content_dimension = 0;
  NetworkOptions no_style = SmallOptions();
  no_style.style_dimension = -1;

  EXPECT_EQ(error(no_content, 3, 2),
            "content dimension: expected at least 1, got 0");
  EXPECT_EQ(error(no_style, 3, 2),
            "style dimension: expected at least 1, got -1");
  EXPECT_EQ(error(SmallOptions(), 0, 2),
            "number of classes: expected at least 1, got 0");
  EXPECT_EQ(error(SmallOptions(), 3, 0),
            "number of sources: expected at least 1, got 0");
}

TEST(LadderNetworkTest, RefusesAnUnsuitableBackbone) {
  const auto network =
      LadderNetwork::Create({.backbone = "resnet50"}, kInput, 3, 2);

  EXPECT_EQ(network.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(network.status().message()),
              HasSubstr("backbone resnet50"));
}

TEST(LadderNetworkTest, GivesCodesAndLogitsOfTheirDimensions) {
  const auto network = SmallNetwork();

  const auto codes = network->Encode(torch::randn({7, 6}));

  EXPECT_EQ(Shape(codes.content.z), (std::vector<int64_t>{7, 5}));
  EXPECT_EQ(Shape(codes.content.mean), (std::vector<int64_t>{7, 5}));
  EXPECT_EQ(Shape(codes.content.log_variance), (std::vector<int64_t>{7, 5}));
  EXPECT_EQ(Shape(codes.style.z), (std::vector<int64_t>{7, 4}));
  EXPECT_EQ(Shape(network->LabelLogits(codes.content.z)),
            (std::vector<int64_t>{7, 3}));
  EXPECT_EQ(Shape(network->ContentDomainLogits(codes.content.z)),
            (std::vector<int64_t>{7, 2}));
  EXPECT_EQ(Shape(network->StyleDomainLogits(codes.style.z)),
            (std::vector<int64_t>{7, 2}));
}

TEST(LadderNetworkTest, DrawsCodesInTraining) {
  const auto network = SmallNetwork();
  const torch::Tensor x = torch::randn({4096, 6});

  torch::manual_seed(2);
  const Code code = network->Encode(x).content;
  torch::manual_seed(2);
  const Code again = network->Encode(x).content;
  const Code other = network->Encode(x).content;

  EXPECT_TRUE(code.z.equal(again.z));
  EXPECT_FALSE(code.z.equal(other.z));
  const torch::Tensor noise =
      (code.z - code.mean) / (0.5 * code.log_variance).exp();
  EXPECT_NEAR(noise.mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(noise.std().item<double>(), 1, 0.03);
}

TEST(LadderNetworkTest, GivesTheMeanInEvaluation) {
  const auto network = SmallNetwork();
  network->eval();

  const auto codes = network->Encode(torch::randn({7, 6}));

  EXPECT_TRUE(codes.content.z.equal(codes.content.mean));
  EXPECT_TRUE(codes.style.z.equal(codes.style.mean));
}

TEST(LadderNetworkTest, GivesPointsUnlessVariational) {
  NetworkOptions options = SmallOptions();
  options.variational = false;
  const auto network = SmallNetwork(options);

  const auto codes = network->Encode(torch::randn({7, 6}));

  EXPECT_TRUE(codes.content.z.equal(codes.content.mean));
  EXPECT_FALSE(codes.content.log_variance.defined());
  EXPECT_FALSE(codes.style.log_variance.defined());
  for (const auto& parameter : network->named_parameters()) {
    EXPECT_THAT(parameter.key(), ::testing::Not(HasSubstr("variance")));
  }
}

TEST(LadderNetworkTest, KeepsVariancesInBoundsWhateverTheFeatures) {
  const auto network = SmallNetwork();
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network->named_parameters()) {
    if (parameter.key() == "content.log_variance.bias") {
      parameter.value().fill_(1e6);
    } else if (parameter.key() == "style.log_variance.bias") {
      parameter.value().fill_(-1e6);
    }
  }

  const auto codes = network->Encode(torch::randn({7, 6}));

  EXPECT_TRUE(codes.content.log_variance.eq(10).all().item<bool>());
  EXPECT_TRUE(codes.style.log_variance.eq(-10).all().item<bool>());
  EXPECT_TRUE(codes.content.z.isfinite().all().item<bool>());
}

TEST(LadderNetworkTest, SplitsItsParametersIntoEncoderAndClassifiers) {
  const auto network = SmallNetwork();

  const size_t num_encoder = network->EncoderParameters().size();
  const size_t num_classifier = network->ClassifierParameters().size();

  EXPECT_EQ(num_classifier, 6);  // A weight and a bias of each of three.
  EXPECT_EQ(num_encoder + num_classifier, network->parameters().size());
  network->LabelLogits(network->Encode(torch::randn({7, 6})).content.z)
      .sum()
      .backward();
  EXPECT_TRUE(network->EncoderParameters()[0].grad().defined());
  EXPECT_TRUE(network->ClassifierParameters()[0].grad().defined());
  EXPECT_FALSE(network->ClassifierParameters()[2].grad().defined());
}

}  // namespace
}  // namespace ladder::trainer
