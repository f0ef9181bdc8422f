#include "imaging/decode_png.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "imaging/rejection.h"
#include "png.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint8_t> Decode(const Bytes& png) {
  Image image;
  const auto orientation = DecodePng(png, {}, image);
  EXPECT_TRUE(orientation.ok()) << orientation.status();
  return Values(image.View());
}

absl::Status DecodeError(const Bytes& png) {
  Image image;
  return DecodePng(png, {}, image).status();
}

TEST(DecodePngTest, GivesBackEveryPixel) {
  const Image photo = Photograph(31, 23);

  for (const bool interlaced : {false, true}) {
    EXPECT_EQ(Decode(WritePng({.interlaced = interlaced}, photo.View())),
              Values(photo.View()));
  }
}

TEST(DecodePngTest, GreyIsScaledToEightBits) {
  // Four pixels each.
  EXPECT_THAT(
      Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 1}, 2, 1,
                      std::vector<uint8_t>{0b01000000})),
      ElementsAre(0, 0, 0, 255, 255, 255));
  EXPECT_THAT(
      Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 2}, 2, 1,
                      std::vector<uint8_t>{0b01100000})),
      ElementsAre(85, 85, 85, 170, 170, 170));
  EXPECT_THAT(
      Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 4}, 2, 1,
                      std::vector<uint8_t>{0x1F})),
      ElementsAre(17, 17, 17, 255, 255, 255));
  EXPECT_THAT(Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY}, 2, 1,
                              std::vector<uint8_t>{3, 200})),
              ElementsAre(3, 3, 3, 200, 200, 200));
}

TEST(DecodePngTest, OfSixteenBitsTheUpperEightAreKept) {
  EXPECT_THAT(
      Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 16}, 2,
                      1, std::vector<uint8_t>{7, 255, 200, 0})),
      ElementsAre(7, 7, 7, 200, 200, 200));
  EXPECT_THAT(Decode(WritePng({.bit_depth = 16}, 1, 1,
                              std::vector<uint8_t>{1, 9, 2, 9, 3, 9})),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(
      Decode(WritePng({.color_type = PNG_COLOR_TYPE_RGBA, .bit_depth = 16}, 1,
                      1, std::vector<uint8_t>{1, 9, 2, 9, 3, 9, 0, 0})),
      ElementsAre(1, 2, 3));
}

TEST(DecodePngTest, TransparencyIsDropped) {
  EXPECT_THAT(Decode(WritePng({.color_type = PNG_COLOR_TYPE_RGBA}, 2, 1,
                              std::vector<uint8_t>{10, 20, 30, 0,  //
                                                   40, 50, 60, 128})),
              ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_THAT(Decode(WritePng({.color_type = PNG_COLOR_TYPE_GRAY_ALPHA}, 2, 1,
                              std::vector<uint8_t>{10, 0, 20, 255})),
              ElementsAre(10, 10, 10, 20, 20, 20));
}

TEST(DecodePngTest, PaletteColoursAreLookedUp) {
  const PngFile file{.color_type = PNG_COLOR_TYPE_PALETTE,
                     .bit_depth = 4,
                     .palette = {1, 2, 3, 40, 50, 60, 255, 0, 9},
                     .palette_alpha = {0, 128}};

  EXPECT_THAT(Decode(WritePng(file, 3, 1, std::vector<uint8_t>{0x21, 0x00})),
              ElementsAre(255, 0, 9, 40, 50, 60, 1, 2, 3));
}

TEST(DecodePngTest, ReportsTheOrientationWithoutApplyingIt) {
  const Bytes png = WritePng({.exif = ExifBlock(8, /*big_endian=*/true)},
                             Photograph(16, 8).View());
  Image image;

  EXPECT_EQ(*DecodePng(png, {}, image), Orientation::kRotate270);
  EXPECT_EQ(image.width(), 16);
}

TEST(DecodePngTest, ChecksTheSizeBeforeThereAreAnyPixels) {
  const Bytes whole = WritePng({}, Photograph(40, 30).View());
  constexpr size_t kHeaderBytes = 8 + 25 + 8;  // And that of the first data.
  const Bytes header(whole.begin(), whole.begin() + kHeaderBytes);
  Image image;

  const absl::Status status =
      DecodePng(header, {.max_pixels = 1199}, image).status();

  EXPECT_EQ(GetRejection(status), Rejection::kTooLarge);
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_pixels = 1199"));
  EXPECT_EQ(image.capacity(), 0);
}

TEST(DecodePngTest, EveryTruncatedFileIsAnError) {
  const Image photo = Photograph(20, 15);
  for (const bool interlaced : {false, true}) {
    const Bytes png = WritePng({.interlaced = interlaced}, photo.View());
    for (size_t size = 0; size < png.size(); ++size) {
      const absl::Status status = DecodeError(
          Bytes(png.begin(), png.begin() + static_cast<ptrdiff_t>(size)));
      ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << size;
      ASSERT_EQ(GetRejection(status), Rejection::kCorrupt) << size;
    }
  }
}

TEST(DecodePngTest, SaysWhatIsWrong) {
  Bytes png = WritePng({}, Photograph(20, 15).View());
  const Bytes truncated(png.begin(), png.end() - 20);
  EXPECT_EQ(DecodeError(truncated).message(), "broken PNG: ends too early");

  png[png.size() / 2] ^= std::byte{1};
  EXPECT_THAT(std::string(DecodeError(png).message()),
              HasSubstr("broken PNG: IDAT: "));
}

}  // namespace
}  // namespace ladder::imaging
