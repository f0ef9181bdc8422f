#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testdata.h"
#include "trainer/network/backbone.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

struct Case {
  ResNet::Depth depth;
  std::string name;
  int64_t num_parameters;  // torchvision's, less those of fc.
  int64_t num_features;
};

const Case kCases[] = {
    {ResNet::Depth::k18, "resnet18", 11'689'512 - 513'000, 512},
    {ResNet::Depth::k50, "resnet50", 25'557'032 - 2'049'000, 2048}};

std::vector<std::vector<std::string>> ReadTable(const std::string& name) {
  std::ifstream file(TestdataFolder() / name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(absl::StrSplit(line, '\t'));
  }
  return rows;
}

// Name to type and shape, as torchvision has them.
std::map<std::string, std::string> TorchvisionTensors(const std::string& net) {
  std::map<std::string, std::string> tensors;
  for (const auto& row : ReadTable(absl::StrCat("torchvision_", net, ".tsv"))) {
    tensors[row.at(0)] = absl::StrCat(row.at(1), " ", row.at(2));
  }
  return tensors;
}

bool IsLastLayer(const std::string& name) {
  return absl::StartsWith(name, "fc.");
}

// The numbers of make_torchvision_reference.py.
torch::Tensor Fill(const std::vector<int64_t>& shape, uint32_t seed) {
  torch::Tensor values = torch::empty(shape);
  float* data = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    uint32_t key = (seed << 20U) + static_cast<uint32_t>(i);
    key *= 2654435761U;
    key = (key ^ key >> 15U) * 2246822519U;
    data[i] = static_cast<float>(std::ldexp(key, -32) - 0.5);
  }
  return values;
}

void SetReferenceWeights(const std::string& net, torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  NamedTensors weights = WeightsOf(module);
  uint32_t seed = 0;
  for (const auto& [name, type] : TorchvisionTensors(net)) {
    const uint32_t own_seed = seed++;
    if (IsLastLayer(name) || absl::EndsWith(name, "num_batches_tracked")) {
      continue;
    }
    torch::Tensor& weight = weights.at(name);
    torch::Tensor values = Fill(weight.sizes().vec(), own_seed);
    if (weight.dim() == 4) {
      values *= std::sqrt(12.0 / static_cast<double>(weight[0].numel()));
    } else if (absl::EndsWith(name, "running_var") ||
               absl::EndsWith(name, "weight")) {
      values += 1;
    }
    weight.copy_(values);
  }
}

class ResNetTest : public ::testing::TestWithParam<Case> {};

TEST_P(ResNetTest, HasTorchvisionsNamesAndShapes) {
  std::map<std::string, std::string> expected;
  for (const auto& [name, type] : TorchvisionTensors(GetParam().name)) {
    if (!IsLastLayer(name)) expected[name] = type;
  }

  std::map<std::string, std::string> found;
  for (const auto& [name, tensor] : WeightsOf(ResNet(GetParam().depth))) {
    found[name] = absl::StrCat(tensor.is_floating_point() ? "F32" : "I64", " [",
                               absl::StrJoin(tensor.sizes(), ","), "]");
  }

  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(found, expected);
}

TEST_P(ResNetTest, HasTorchvisionsNumberOfParameters) {
  int64_t count = 0;
  for (const auto& parameter : ResNet(GetParam().depth).parameters()) {
    count += parameter.numel();
  }

  EXPECT_EQ(count, GetParam().num_parameters);
}

TEST_P(ResNetTest, GivesOneRowOfFeaturesPerPicture) {
  ResNet net(GetParam().depth);
  net.eval();

  EXPECT_EQ(net.num_features(), GetParam().num_features);
  for (const int64_t side : {int64_t{32}, int64_t{75}}) {
    EXPECT_EQ(net.Forward(torch::zeros({2, 3, side, side + 3})).sizes(),
              (std::vector{int64_t{2}, GetParam().num_features}));
  }
}

TEST_P(ResNetTest, GivesTorchvisionsFeaturesForTheSameWeights) {
  ResNet net(GetParam().depth);
  SetReferenceWeights(GetParam().name, net);
  net.eval();
  net.to(torch::kDouble);
  const auto expected =
      ReadTable(absl::StrCat("torchvision_", GetParam().name, "_features.tsv"));

  const torch::NoGradGuard no_grad;
  const torch::Tensor features =
      net.Forward(Fill({2, 3, 64, 64}, /*seed=*/1000).to(torch::kDouble));

  ASSERT_EQ(expected.size(), 2);
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t j = 0; j < expected[i].size(); ++j) {
      EXPECT_NEAR(features[static_cast<int64_t>(i)][static_cast<int64_t>(j)]
                      .item<double>(),
                  std::stod(expected[i][j]), 1e-5)
          << "picture " << i << ", feature " << j;
    }
  }
}

TEST_P(ResNetTest, StartsWithKaimingNormalsOfTheFanOut) {
  torch::manual_seed(3);
  const NamedTensors weights = WeightsOf(ResNet(GetParam().depth));

  for (const auto& [name, weight] : weights) {
    if (weight.dim() != 4) continue;
    const auto fan_out = static_cast<double>(weight.numel() / weight.size(1));
    const double expected = std::sqrt(2 / fan_out);
    EXPECT_NEAR(weight.std().item<double>() / expected, 1, 0.05) << name;
    EXPECT_NEAR(weight.mean().item<double>() / expected, 0, 0.05) << name;
  }
  EXPECT_TRUE(weights.at("layer1.0.bn1.weight").eq(1).all().item<bool>());
  EXPECT_TRUE(weights.at("layer1.0.bn1.bias").eq(0).all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Depths, ResNetTest, ::testing::ValuesIn(kCases),
                         [](const auto& instance) {
                           return instance.param.name;
                         });

}  // namespace
}  // namespace ladder::trainer
