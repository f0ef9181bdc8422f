#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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
