#include "client/command/load/synthetic_samples.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;

TEST(SyntheticSamplesTest, OpenDimensionsTakeTheGivenSize) {
  const std::vector<int64_t> shape = {2, -1, 3, 0};

  EXPECT_THAT(ResolveShape("x", shape, 7).value(), ElementsAre(2, 7, 3, 7));
  EXPECT_EQ(ResolveShape("x", shape, 0).status().message(),
            "dynamic size: expected one, since the model leaves dimensions of "
            "\"x\" [2, -1, 3, 0] open, got none");
}

TEST(SyntheticSamplesTest, NumbersAreUniformAndDependOnTheSeed) {
  const std::vector<int64_t> shape = {100, 30};

  const std::string bytes = SyntheticTensor("FP32", shape, /*seed=*/1).value();

  ASSERT_EQ(bytes.size(), 12'000);
  double mean = 0;
  for (size_t i = 0; i < 3000; ++i) {
    float value = -1;
    std::memcpy(&value, bytes.data() + 4 * i, sizeof(value));
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
    mean += value / 3000;
  }
  EXPECT_NEAR(mean, 0.5, 5 * 0.289 / 54.8);
  EXPECT_EQ(bytes, SyntheticTensor("FP32", shape, /*seed=*/1).value());
  EXPECT_NE(bytes, SyntheticTensor("FP32", shape, /*seed=*/2).value());
}

TEST(SyntheticSamplesTest, OtherNumbersHaveTheirSize) {
  const std::vector<int64_t> shape = {3};

  EXPECT_EQ(SyntheticTensor("INT64", shape, 1).value(), std::string(24, '\0'));
  EXPECT_EQ(SyntheticTensor("UINT8", shape, 1).value(), std::string(3, '\0'));
  EXPECT_EQ(SyntheticTensor("FP64", shape, 1).value().size(), 24);
  EXPECT_EQ(SyntheticTensor("BYTES", shape, 1).status().message(),
            "datatype: expected one of numbers, got \"BYTES\"");
}

TEST(SyntheticSamplesTest, HugeTensorsAreRefused) {
  for (const int64_t side : {int64_t{1} << 20, int64_t{1} << 62}) {
    EXPECT_EQ(SyntheticTensor("FP32", std::vector<int64_t>{1024, side}, 1)
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ladder::client
