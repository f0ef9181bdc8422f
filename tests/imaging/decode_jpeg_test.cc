#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "imaging/jpeg.h"
#include "imaging/rejection.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

using ::testing::HasSubstr;

Image Decode(const Bytes& jpeg) {
  Image image;
  const auto orientation = DecodeJpeg(jpeg, {}, image);
  EXPECT_TRUE(orientation.ok()) << orientation.status();
  return image;
}

absl::Status DecodeError(const Bytes& jpeg) {
  Image image;
  return DecodeJpeg(jpeg, {}, image).status();
}

double MeanDifference(const ImageView& a, const ImageView& b) {
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
  double sum = 0;
  for (size_t i = 0; i < a.num_bytes(); ++i) {
    sum += std::abs(a.pixels[i] - b.pixels[i]);
  }
  return sum / static_cast<double>(a.num_bytes());
}

TEST(DecodeJpegTest, GivesBackThePictureUpToLosses) {
  const Image photo = Photograph(61, 47);

  for (const JpegColors colors : {JpegColors::kYCbCr, JpegColors::kRgb}) {
    const Bytes jpeg = WriteJpeg(
        {.colors = colors, .quality = 100, .luma_across = 1, .luma_down = 1},
        photo.View());
    EXPECT_LT(MeanDifference(Decode(jpeg).View(), photo.View()), 1);
  }
}

TEST(DecodeJpegTest, ProgressiveArithmeticAndRestartsChangeNoPixel) {
  const Image photo = Photograph(61, 47);
  const Bytes plain = WriteJpeg({}, photo.View());
  const std::vector<uint8_t> expected = Values(Decode(plain).View());

  const JpegFile variants[] = {{.progressive = true},
                               {.arithmetic = true},
                               {.restart_interval = 2},
                               {.progressive = true, .restart_interval = 1}};
  for (const JpegFile& variant : variants) {
    const Bytes jpeg = WriteJpeg(variant, photo.View());
    EXPECT_NE(jpeg, plain);
    EXPECT_EQ(Values(Decode(jpeg).View()), expected);
  }
}

TEST(DecodeJpegTest, GreyHasEqualChannels) {
  const std::vector<uint8_t> values(size_t{8} * 8, 77);

  const Image image =
      Decode(WriteJpeg({.colors = JpegColors::kGrey}, 8, 8, values));

  EXPECT_EQ(Values(image.View()), std::vector<uint8_t>(size_t{8} * 8 * 3, 77));
}

TEST(DecodeJpegTest, CmykIsInvertedAndTimesBlack) {
  std::vector<uint8_t> inks;
  for (int i = 0; i < 8 * 8; ++i) inks.insert(inks.end(), {255, 128, 0, 200});

  for (const JpegColors colors : {JpegColors::kCmyk, JpegColors::kYcck}) {
    const Image image = Decode(WriteJpeg(
        {.colors = colors, .quality = 100, .luma_across = 1, .luma_down = 1}, 8,
        8, inks));
    const uint8_t* pixel = image.View().pixels;
    EXPECT_NEAR(pixel[0], 200, 2);
    EXPECT_NEAR(pixel[1], 100, 2);
    EXPECT_NEAR(pixel[2], 0, 2);
  }
}

TEST(DecodeJpegTest, ReportsTheOrientationWithoutApplyingIt) {
  const Image photo = Photograph(16, 8);
  const Bytes jpeg = WriteJpeg({.exif = ExifBlock(6)}, photo.View());
  Image image;

  const auto orientation = DecodeJpeg(jpeg, {}, image);

  EXPECT_EQ(*orientation, Orientation::kRotate90);
  EXPECT_EQ(image.width(), 16);
  EXPECT_EQ(image.height(), 8);
}

TEST(DecodeJpegTest, ChecksTheSizeBeforeThereAreAnyPixels) {
  Bytes jpeg = WriteJpeg({}, Photograph(40, 30).View());
  // What is left is the header, up to the first scan's own.
  for (size_t i = 0; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xDA}) {
      jpeg.resize(i + 14);
      break;
    }
  }
  Image image;

  const absl::Status status =
      DecodeJpeg(jpeg, {.max_pixels = 1199}, image).status();

  EXPECT_EQ(GetRejection(status), Rejection::kTooLarge);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("image is 40 x 30 = 1200 pixels: more than max_pixels "
                        "= 1199"));
  EXPECT_EQ(image.capacity(), 0);
}

TEST(DecodeJpegTest, RefusesManyScansBeforeDecodingAny) {
  const std::vector<uint8_t> values(size_t{64} * 64, 99);
  const Bytes jpeg = WriteJpeg({.colors = JpegColors::kGrey, .num_scans = 400},
                               64, 64, values);
  Image image;

  const absl::Status status = DecodeJpeg(jpeg, {}, image).status();

  EXPECT_EQ(GetRejection(status), Rejection::kTooLarge);
  EXPECT_EQ(status.message(),
            "JPEG has 400 scans: more than max_jpeg_scans = 32");
  EXPECT_EQ(image.capacity(), 0);
  EXPECT_TRUE(DecodeJpeg(jpeg, {.max_jpeg_scans = 400}, image).ok());
}

TEST(DecodeJpegTest, EveryTruncatedFileIsAnError) {
  const Image photo = Photograph(40, 30);
  for (const bool progressive : {false, true}) {
    const Bytes jpeg = WriteJpeg({.progressive = progressive}, photo.View());
    for (size_t size = 0; size < jpeg.size(); ++size) {
      const absl::Status status = DecodeError(
          Bytes(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size)));
      ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << size;
      ASSERT_EQ(GetRejection(status), Rejection::kCorrupt) << size;
    }
  }
}

TEST(DecodeJpegTest, SaysWhatIsWrongInTheWordsOfLibjpeg) {
  Bytes jpeg = WriteJpeg({}, Photograph(40, 30).View());
  jpeg.resize(jpeg.size() - 100);

  EXPECT_EQ(DecodeError(jpeg).message(),
            "broken JPEG: Premature end of JPEG file");
}

TEST(DecodeJpegTest, DamagedDataThatLibjpegOnlyWarnsOfIsAnError) {
  Bytes jpeg = WriteJpeg({.restart_interval = 2}, Photograph(64, 64).View());
  // The second restart marker comes where the first is expected.
  for (size_t i = 0; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xD0}) {
      jpeg[i + 1] = std::byte{0xD1};
      break;
    }
  }

  EXPECT_THAT(std::string(DecodeError(jpeg).message()),
              HasSubstr("broken JPEG: Corrupt JPEG data: found marker 0xd1 "
                        "instead of RST0"));
}

TEST(DecodeJpegTest, StrayBytesBetweenSegmentsAndBehindTheEndAreLetPass) {
  const Bytes jpeg = WriteJpeg({}, Photograph(40, 30).View());
  Bytes padded = jpeg;
  padded.insert(padded.end() - 2, 3, std::byte{0});
  padded.insert(padded.end(), 50, std::byte{0x55});

  EXPECT_EQ(Values(Decode(padded).View()), Values(Decode(jpeg).View()));
}

TEST(DecodeJpegTest, TwelveBitsAreNotSupported) {
  Bytes jpeg = WriteJpeg({}, Photograph(40, 30).View());
  for (size_t i = 0; i + 4 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xC0}) {
      jpeg[i + 4] = std::byte{12};
      break;
    }
  }

  const absl::Status status = DecodeError(jpeg);

  EXPECT_EQ(GetRejection(status), Rejection::kUnsupported);
  EXPECT_EQ(status.message(),
            "JPEG not supported: Unsupported JPEG data precision 12");
}

}  // namespace
}  // namespace ladder::imaging
