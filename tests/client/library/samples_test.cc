#include "ladder/client/samples.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SamplesTest, NumbersBecomeATensorWhoseFirstSideCountsSamples) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

  const v1::Samples samples =
      TensorSamples(values, std::vector<int64_t>{2, 3}, {"a", "b"}).value();

  EXPECT_THAT(samples.tensor().shape(), ElementsAre(2, 2, 3));
  EXPECT_THAT(samples.ids(), ElementsAre("a", "b"));
  std::vector<float> sent(12);
  ASSERT_EQ(samples.tensor().float32().size(), 12 * sizeof(float));
  std::memcpy(sent.data(), samples.tensor().float32().data(),
              sent.size() * sizeof(float));
  EXPECT_EQ(sent, values);
  EXPECT_EQ(NumSamples(samples), 2);
}

TEST(SamplesTest, NumbersMustFillWholeSamples) {
  const std::vector<float> values(7);

  const auto samples = TensorSamples(values, std::vector<int64_t>{3});

  EXPECT_EQ(samples.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(samples.status().message(), HasSubstr("multiple of the 3"));
}

TEST(SamplesTest, SidesMustBePositive) {
  for (const int64_t side : {0, -1}) {
    EXPECT_EQ(TensorSamples({}, std::vector<int64_t>{2, side}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(SamplesTest, SidesMustNotOverflow) {
  const std::vector<int64_t> shape(3, int64_t{1} << 40);

  EXPECT_EQ(TensorSamples({}, shape).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SamplesTest, PicturesAreSentAsTheyAre) {
  const v1::Samples samples =
      ImageSamples({"first", "second"}, {"a", "b"}).value();

  EXPECT_THAT(samples.images().images(), ElementsAre("first", "second"));
  EXPECT_THAT(samples.ids(), ElementsAre("a", "b"));
  EXPECT_EQ(NumSamples(samples), 2);
}

TEST(SamplesTest, ThereAreAsManyIdsAsSamplesOrNone) {
  const std::vector<float> values(4);
  const std::vector<int64_t> shape = {2};

  EXPECT_EQ(ImageSamples({"first", "second"}, {"a"}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(TensorSamples(values, shape, {"a", "b", "c"}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(TensorSamples(values, shape).ok());
}

TEST(SamplesTest, NoDataIsNoSamples) {
  EXPECT_EQ(NumSamples(v1::Samples()), 0);
}

}  // namespace
}  // namespace ladder::client
