#include "imaging/normalizer.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/imaging/test_images.h"
#include "tests/simd_targets.h"

namespace ladder::imaging {
namespace {

class NormalizerTest : public EveryTargetTest {};
LADDER_INSTANTIATE_FOR_EVERY_TARGET(NormalizerTest);

TEST_P(NormalizerTest, WritesPlanesInTheOrderOfTheChannels) {
  const NormalizeOptions options{.mean = {0.485F, 0.456F, 0.406F},
                                 .std = {0.229F, 0.224F, 0.225F}};
  const Normalizer normalizer(options);
  for (const int width : {1, 15, 16, 33, 300}) {
    const Image image = Photograph(width, 7);
    const size_t num_pixels = static_cast<size_t>(width) * 7;
    std::vector<float> planes(3 * num_pixels);

    normalizer.Apply(image.View(), planes);

    for (size_t c = 0; c < 3; ++c) {
      for (size_t i = 0; i < num_pixels; ++i) {
        const float x =
            static_cast<float>(image.View().pixels[3 * i + c]) / 255;
        ASSERT_EQ(planes[c * num_pixels + i],
                  (x - options.mean[c]) / options.std[c]);
      }
    }
  }
}

TEST(NormalizeOptionsTest, ValidateNamesTheChannel) {
  constexpr float kInf = std::numeric_limits<float>::infinity();

  EXPECT_TRUE(NormalizeOptions{}.Validate().ok());
  EXPECT_EQ((NormalizeOptions{.mean = {0, kInf, 0}}.Validate().message()),
            "mean[1] must be finite, got inf");
  EXPECT_EQ((NormalizeOptions{.std = {1, 1, 0}}.Validate().message()),
            "std[2] must be positive and finite, got 0");
  EXPECT_EQ((NormalizeOptions{.std = {-1, 1, 1}}.Validate().message()),
            "std[0] must be positive and finite, got -1");
}

}  // namespace
}  // namespace ladder::imaging
