#include <cstdint>
#include <cstdlib>

#include "gtest/gtest.h"
#include "imaging/decoder.h"
#include "imaging/jpeg.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

double MeanLoss(const ImageView& image, int quality) {
  const auto jpeg = EncodeJpeg(image, quality);
  EXPECT_TRUE(jpeg.ok()) << jpeg.status();
  Decoder decoder;
  const auto decoded = decoder.Decode(*jpeg);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->width, image.width);
  EXPECT_EQ(decoded->height, image.height);
  double sum = 0;
  for (size_t i = 0; i < image.num_bytes(); ++i) {
    sum += std::abs(image.pixels[i] - decoded->pixels[i]);
  }
  return sum / static_cast<double>(image.num_bytes());
}

TEST(EncodeJpegTest, BetterQualityLosesLess) {
  const Image photo = Photograph(61, 47);

  EXPECT_LT(MeanLoss(photo.View(), 95), MeanLoss(photo.View(), 30));
}

TEST(EncodeJpegTest, IsWhatLibjpegWrites) {
  const Image photo = Photograph(61, 47);

  EXPECT_EQ(*EncodeJpeg(photo.View(), 85),
            WriteJpeg({.quality = 85}, photo.View()));
}

TEST(EncodeJpegTest, RejectsAQualityThatIsNone) {
  const Image photo = Photograph(8, 8);

  for (const int quality : {0, 101}) {
    const absl::Status status = EncodeJpeg(photo.View(), quality).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(EncodeJpeg(photo.View(), 101).status().message(),
            "quality must lie in 1..100, got 101");
}

TEST(EncodeJpegTest, RejectsSizesThatAJpegCannotHave) {
  const std::vector<uint8_t> row(size_t{3} * 65501);

  const auto status = EncodeJpeg({row.data(), 65501, 1}, 90).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "the sides of a JPEG must lie in 1..65500, got 65501 x 1");
  EXPECT_FALSE(EncodeJpeg({row.data(), 0, 0}, 90).ok());
}

}  // namespace
}  // namespace ladder::imaging
