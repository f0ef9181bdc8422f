#include "imaging/preprocessor.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "imaging/decoder.h"
#include "imaging/rejection.h"
#include "imaging/resizer.h"
#include "tests/imaging/test_images.h"
#include "tests/simd_targets.h"

namespace ladder::imaging {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

PreprocessOptions SmallOptions() {
  return {.height = 12,
          .width = 20,
          .normalize = {.mean = {0.4F, 0.5F, 0.6F}, .std = {0.2F, 0.3F, 0.4F}}};
}

// The same by its parts.
std::vector<float> Expected(const Bytes& file,
                            const PreprocessOptions& options) {
  Decoder decoder;
  Resizer resizer;
  const ImageView image = resizer.Resize(decoder.Decode(file).value(),
                                         static_cast<int>(options.width),
                                         static_cast<int>(options.height));
  std::vector<float> planes(image.num_bytes());
  Normalizer(options.normalize).Apply(image, planes);
  return planes;
}

using PreprocessorTest = EveryTargetTest;
LADDER_INSTANTIATE_FOR_EVERY_TARGET(PreprocessorTest);

TEST_P(PreprocessorTest, DecodesTurnsResizesAndNormalises) {
  const PreprocessOptions options = SmallOptions();
  const auto preprocessor = Preprocessor::Create(options);
  ASSERT_TRUE(preprocessor.ok()) << preprocessor.status();
  ASSERT_EQ(preprocessor->output_size(), 3 * 12 * 20);
  std::vector<float> out(preprocessor->output_size());
  const Image photo = Photograph(61, 47);
  for (const Bytes& file :
       {WriteJpeg({.exif = ExifBlock(6)}, photo.View()),
        WritePng({}, photo.View()), WritePng({}, Photograph(20, 12).View())}) {
    ASSERT_TRUE(preprocessor->Run(file, out).ok());
    EXPECT_EQ(out, Expected(file, options));
  }
}

TEST_P(PreprocessorTest, ABrokenPictureLeavesTheOutputUntouched) {
  const auto preprocessor = Preprocessor::Create(SmallOptions());
  std::vector<float> out(preprocessor->output_size(), 7);
  Bytes png = WritePng({}, Photograph(61, 47).View());
  png.resize(png.size() / 2);

  const absl::Status status = preprocessor->Run(png, out);

  EXPECT_EQ(GetRejection(status), Rejection::kCorrupt);
  EXPECT_THAT(out, Each(7));
}

TEST_P(PreprocessorTest, AppliesTheLimits) {
  PreprocessOptions options = SmallOptions();
  options.limits.max_pixels = 100;
  const auto preprocessor = Preprocessor::Create(options);
  std::vector<float> out(preprocessor->output_size());

  const absl::Status status =
      preprocessor->Run(WritePng({}, Photograph(61, 47).View()), out);

  EXPECT_EQ(GetRejection(status), Rejection::kTooLarge);
}

TEST_P(PreprocessorTest, RejectsAnOutputOfAnotherSize) {
  const auto preprocessor = Preprocessor::Create(SmallOptions());
  std::vector<float> out(preprocessor->output_size() - 1);

  const absl::Status status =
      preprocessor->Run(WritePng({}, Photograph(61, 47).View()), out);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "expected room for 3 x 12 x 20 = 720 numbers, got 719");
  EXPECT_EQ(GetRejection(status), std::nullopt);
}

TEST_P(PreprocessorTest, CreateNamesTheBadOption) {
  const auto message = [](const PreprocessOptions& options) {
    const absl::Status status = Preprocessor::Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };

  EXPECT_EQ(message({.height = 0}), "height must lie in 1..16384, got 0");
  EXPECT_EQ(message({.width = 16385}), "width must lie in 1..16384, got 16385");
  EXPECT_THAT(message({.normalize = {.std = {0, 0, 0}}}), HasSubstr("std[0]"));
  EXPECT_THAT(message({.limits = {.max_pixels = 0}}), HasSubstr("max_pixels"));
}

TEST_P(PreprocessorTest, ManyThreadsGetTheSameNumbersAsOne) {
  const PreprocessOptions options = SmallOptions();
  const auto preprocessor = Preprocessor::Create(options);
  std::vector<Bytes> files;
  std::vector<std::vector<float>> expected;
  for (uint32_t i = 0; i < 6; ++i) {
    const Image photo = Photograph(30 + 9 * static_cast<int>(i), 50, i);
    files.push_back(i % 2 == 0 ? WriteJpeg({}, photo.View())
                               : WritePng({}, photo.View()));
    expected.push_back(Expected(files.back(), options));
  }

  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<float> out(preprocessor->output_size());
      for (size_t i = 0; i < 60; ++i) {
        const size_t k = (i * (t + 1) + t) % files.size();
        EXPECT_TRUE(preprocessor->Run(files[k], out).ok());
        EXPECT_EQ(out, expected[k]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ladder::imaging
