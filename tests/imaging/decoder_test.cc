#include "imaging/decoder.h"

#include <string>

#include "gtest/gtest.h"
#include "imaging/orientation.h"
#include "imaging/rejection.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

TEST(DecoderTest, TellsJpegFromPngByTheirFirstBytes) {
  const Image photo = Photograph(20, 10);
  Decoder decoder;

  const auto png = decoder.Decode(WritePng({}, photo.View()));
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(Values(*png), Values(photo.View()));

  const auto jpeg = decoder.Decode(WriteJpeg({}, photo.View()));
  ASSERT_TRUE(jpeg.ok()) << jpeg.status();
  EXPECT_EQ(jpeg->width, 20);
  EXPECT_EQ(jpeg->height, 10);
}

TEST(DecoderTest, TurnsPicturesUpright) {
  const Image photo = Photograph(20, 10);
  Decoder decoder;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Image upright;
    Turn(photo.View(), static_cast<Orientation>(orientation), upright);

    const auto image = decoder.Decode(
        WritePng({.exif = ExifBlock(orientation)}, photo.View()));

    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image->width, upright.width());
    EXPECT_EQ(Values(*image), Values(upright.View())) << orientation;
  }
}

TEST(DecoderTest, NamesWhatItFoundInsteadOfAPicture) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "no bytes"},
      {"GIF89a...", "GIF"},
      {"RIFF1234WEBPVP8 ", "WebP"},
      {"BM12345678", "BMP"},
      {std::string("II*\0....", 8), "TIFF"},
      {std::string("MM\0*....", 8), "TIFF"},
      {std::string("\0\0\0\x20"
                   "ftypavif",
                   12),
       "AVIF"},
      {std::string("\0\0\0\x20"
                   "ftypheic",
                   12),
       "HEIC"},
      {std::string("\0\0\0\x20"
                   "ftypisom",
                   12),
       "a video or other MP4 container"},
      {std::string("\0\0\0\x0CJXL ", 8), "JPEG XL"},
      {"%PDF-1.7", "PDF"},
      {"<!DOCTYPE html>", "HTML, SVG or other XML"},
      {"\xFF\xD8", "bytes ffd8"},
      {"hello, world", "bytes 68656c6c6f2c2077"},
  };
  Decoder decoder;
  for (const auto& [start, name] : cases) {
    const absl::Status status =
        decoder.Decode(std::as_bytes(std::span(start))).status();

    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "expected JPEG or PNG, found " + name);
    EXPECT_EQ(GetRejection(status), Rejection::kUnsupported);
  }
}

TEST(DecoderTest, AppliesItsLimits) {
  const Image photo = Photograph(20, 10);
  Decoder decoder({.max_pixels = 199});

  EXPECT_FALSE(decoder.Decode(WritePng({}, photo.View())).ok());
  EXPECT_FALSE(decoder.Decode(WriteJpeg({}, photo.View())).ok());
}

TEST(DecoderTest, GoesOnAfterAnError) {
  const Image photo = Photograph(20, 10);
  const Bytes png = WritePng({}, photo.View());
  Decoder decoder;
  ASSERT_FALSE(decoder.Decode(std::span(png).first(png.size() / 2)).ok());

  const auto image = decoder.Decode(png);

  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(Values(*image), Values(photo.View()));
}

TEST(DecoderTest, AFileTellsWhatDecodingItCosts) {
  const Image photo = Photograph(61, 47);
  const Bytes png = WritePng({}, photo.View());

  EXPECT_EQ(PixelsToDecode(WriteJpeg({}, photo.View())), 61 * 47);
  EXPECT_EQ(PixelsToDecode(png), 61 * 47);
  EXPECT_EQ(PixelsToDecode(std::span(png).first(23)), 0);
  EXPECT_EQ(PixelsToDecode({}), 0);
  EXPECT_EQ(PixelsToDecode(Bytes(100, std::byte{7})), 0);
}

}  // namespace
}  // namespace ladder::imaging
