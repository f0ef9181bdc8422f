#include "trainer/network/weights_file.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"
#include "trainer/network/backbone.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

NamedTensors Copy(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) {
    copies[name] = tensor.detach().clone();
  }
  return copies;
}

void ExpectEqual(const NamedTensors& found, const NamedTensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    EXPECT_TRUE(found.at(name).equal(tensor)) << name;
  }
}

// Weights of another seed, and statistics that are not those of the start.
NamedTensors OtherWeights(torch::nn::Module& module) {
  NamedTensors weights = Copy(WeightsOf(module));
  for (auto& [name, tensor] : weights) {
    tensor = tensor.is_floating_point() ? torch::rand_like(tensor) + 0.5
                                        : torch::full_like(tensor, 7);
  }
  return weights;
}

class WeightsFileTest : public ::testing::Test {
 protected:
  WeightsFileTest() { torch::manual_seed(4); }

  std::string ErrorOf(const NamedTensors& tensors, torch::nn::Module& module,
                      const LoadWeightsOptions& options = {}) {
    EXPECT_EQ(WriteTensors(tensors, path_), absl::OkStatus());
    const NamedTensors before = Copy(WeightsOf(module));
    const absl::Status status = LoadWeights(path_, module, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    ExpectEqual(WeightsOf(module), before);
    return std::string(status.message());
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "w.safetensors";
};

TEST_F(WeightsFileTest, LoadsWhatWasSaved) {
  SmallCnn saved(1);
  ASSERT_EQ(CopyWeights(OtherWeights(saved), "memory", saved),
            absl::OkStatus());
  SmallCnn loaded(1);

  ASSERT_EQ(WriteTensors(WeightsOf(saved), path_), absl::OkStatus());
  ASSERT_EQ(LoadWeights(path_, loaded), absl::OkStatus());

  ExpectEqual(WeightsOf(loaded), WeightsOf(saved));
  EXPECT_EQ(WeightsOf(loaded).at("bn1.num_batches_tracked").item<int64_t>(), 7);
}

TEST_F(WeightsFileTest, LeavesParametersToBeTrained) {
  SmallCnn net(1);
  ASSERT_EQ(WriteTensors(WeightsOf(net), path_), absl::OkStatus());

  ASSERT_EQ(LoadWeights(path_, net), absl::OkStatus());

  for (const auto& parameter : net.parameters()) {
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_TRUE(parameter.is_leaf());
  }
}

TEST_F(WeightsFileTest, LoadsTorchvisionsCheckpointWithoutItsLastLayer) {
  ResNet net(ResNet::Depth::k18);
  const NamedTensors weights = OtherWeights(net);
  NamedTensors checkpoint = weights;
  checkpoint["fc.weight"] = torch::zeros({1000, 512});
  checkpoint["fc.bias"] = torch::zeros({1000});
  ASSERT_EQ(WriteTensors(checkpoint, path_), absl::OkStatus());

  ASSERT_EQ(LoadWeights(path_, net, {.ignored_prefixes = {"fc."}}),
            absl::OkStatus());

  ExpectEqual(WeightsOf(net), weights);
}

TEST_F(WeightsFileTest, NeedsNoCountsOfBatches) {
  SmallCnn net(1);
  NamedTensors weights = OtherWeights(net);
  for (const std::string name : {"bn1", "bn2", "bn3"}) {
    weights.erase(name + ".num_batches_tracked");
  }
  ASSERT_EQ(WriteTensors(weights, path_), absl::OkStatus());

  ASSERT_EQ(LoadWeights(path_, net), absl::OkStatus());

  EXPECT_EQ(WeightsOf(net).at("bn1.num_batches_tracked").item<int64_t>(), 0);
  EXPECT_TRUE(
      WeightsOf(net).at("conv1.weight").equal(weights.at("conv1.weight")));
}

TEST_F(WeightsFileTest, TakesOtherFloatTypes) {
  SmallCnn net(1);
  NamedTensors weights = OtherWeights(net);
  weights["conv1.weight"] = weights["conv1.weight"].to(torch::kDouble);
  weights["conv2.weight"] = weights["conv2.weight"].to(torch::kHalf);

  ASSERT_EQ(CopyWeights(weights, "memory", net), absl::OkStatus());

  EXPECT_EQ(WeightsOf(net).at("conv1.weight").scalar_type(), torch::kFloat);
  EXPECT_TRUE(WeightsOf(net)
                  .at("conv2.weight")
                  .equal(weights.at("conv2.weight").to(torch::kFloat)));
}

TEST_F(WeightsFileTest, ListsEverythingThatDoesNotFit) {
  SmallCnn net(1);
  NamedTensors weights = OtherWeights(net);
  weights.erase("conv1.weight");
  weights.erase("bn3.running_var");
  weights["conv2.weight"] = torch::zeros({64, 32, 1, 1});
  weights["bn2.bias"] = torch::zeros({64}, torch::kInt64);
  weights["layer1.0.conv1.weight"] = torch::zeros({2, 3});
  weights["fc.bias"] = torch::zeros({1000});

  EXPECT_EQ(ErrorOf(weights, net),
            path_.string() +
                ": does not fit the network:\n"
                "  bn2.bias: expected F32 [64], found I64 [64]\n"
                "  bn3.running_var: expected F32 [128], found no such tensor\n"
                "  conv1.weight: expected F32 [32, 1, 3, 3], found no such "
                "tensor\n"
                "  conv2.weight: expected F32 [64, 32, 3, 3], found F32 [64, "
                "32, 1, 1]\n"
                "  fc.bias: expected no such tensor, found F32 [1000]\n"
                "  layer1.0.conv1.weight: expected no such tensor, found F32 "
                "[2, 3]");
}

TEST_F(WeightsFileTest, DoesNotMentionWhatIsIgnored) {
  SmallCnn net(1);
  NamedTensors weights = OtherWeights(net);
  weights.erase("conv1.weight");
  weights["fc.bias"] = torch::zeros({1000});

  EXPECT_THAT(ErrorOf(weights, net, {.ignored_prefixes = {"fc."}}),
              Not(HasSubstr("fc.bias")));
}

TEST_F(WeightsFileTest, RefusesNumbersThatAreNotFinite) {
  SmallCnn net(1);
  NamedTensors weights = OtherWeights(net);
  weights["bn1.bias"][3] = std::numeric_limits<float>::infinity();

  EXPECT_THAT(ErrorOf(weights, net),
              HasSubstr("bn1.bias: expected finite numbers, found others"));
}

TEST_F(WeightsFileTest, SaysThatThereIsNoFile) {
  SmallCnn net(1);

  const absl::Status status = LoadWeights(path_, net);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_.string()));
}

class TensorFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& header, const std::string& data) {
    std::ofstream file(path_, std::ios::binary);
    for (int i = 0; i < 8; ++i) {
      file.put(static_cast<char>(header.size() >> (8 * i) & 0xFF));
    }
    file << header << data;
  }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "t.safetensors";
};

TEST_F(TensorFileTest, ReadsBackWhatWasWritten) {
  const NamedTensors tensors = {
      {"float", torch::randn({2, 3})},
      {"double", torch::randn({4}, torch::kDouble)},
      {"long", torch::tensor({int64_t{-5}, int64_t{1} << 60})},
      {"byte", torch::arange(5, torch::kUInt8)},
      {"scalar", torch::tensor(2.5F)},
      {"empty", torch::zeros({0, 3})},
      {"transposed", torch::randn({3, 2}).t()}};

  ASSERT_EQ(WriteTensors(tensors, path_), absl::OkStatus());
  const auto read = ReadTensors(path_);

  ASSERT_EQ(read.status(), absl::OkStatus());
  ASSERT_EQ(read->size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(Describe(read->at(name)), Describe(tensor)) << name;
    EXPECT_TRUE(read->at(name).equal(tensor)) << name;
  }
}

TEST_F(TensorFileTest, ReplacesAFileAndLeavesNothingElse) {
  ASSERT_EQ(WriteTensors({{"a", torch::zeros({1000})}}, path_),
            absl::OkStatus());
  ASSERT_EQ(WriteTensors({{"b", torch::ones({1})}}, path_), absl::OkStatus());

  EXPECT_EQ(ReadTensors(path_).value().count("a"), 0);
  const std::filesystem::directory_iterator files(directory_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(TensorFileTest, RefusesToWriteATypeThatTheWriterHasNot) {
  const absl::Status status =
      WriteTensors({{"half", torch::zeros({2}, torch::kHalf)}}, path_);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "half: expected F32, F64, I64 or U8, found F16");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TensorFileTest, SaysWhereItCannotWrite) {
  const std::filesystem::path path = directory_.path() / "none" / "t";

  const absl::Status status = WriteTensors({}, path);

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("none/.t.partial-"));
}

TEST_F(TensorFileTest, ReadsTheHalfTypesOfOtherWriters) {
  Write(R"({"b":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},)"
        R"("h":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})",
        std::string("\xc0\x3f\x00\x3e", 4));

  const auto tensors = ReadTensors(path_);

  ASSERT_EQ(tensors.status(), absl::OkStatus());
  EXPECT_EQ(tensors->at("b").item<float>(), 1.5F);
  EXPECT_EQ(tensors->at("h").item<float>(), 1.5F);
}

TEST_F(TensorFileTest, FollowsLinks) {
  ASSERT_EQ(WriteTensors({{"a", torch::ones({2})}}, path_), absl::OkStatus());
  const std::filesystem::path link = directory_.path() / "link";
  std::filesystem::create_symlink(path_, link);

  EXPECT_EQ(ReadTensors(link).status(), absl::OkStatus());
}

TEST_F(TensorFileTest, RefusesATypeThatLibTorchHasNot) {
  Write(R"({"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "a");

  const auto tensors = ReadTensors(path_);

  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      tensors.status().message(),
      path_.string() + ": x: expected a type that LibTorch has, found F8_E4M3");
}

TEST_F(TensorFileTest, RefusesWhatIsNoSafetensorsFile) {
  std::ofstream(path_) << "PK\x03\x04, a pickle in a zip";

  const auto tensors = ReadTensors(path_);

  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tensors.status().message()),
              StartsWith(path_.string() + ": header length"));
}

TEST_F(TensorFileTest, SaysThatThereIsNoFile) {
  const auto tensors = ReadTensors(path_);

  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(tensors.status().message()),
              HasSubstr(path_.string()));
}

}  // namespace
}  // namespace ladder::trainer
