#include <string>

#include "gtest/gtest.h"
#include "imaging/jpeg.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

int64_t CountIn(const std::string& bytes) {
  return CountJpegScans(std::as_bytes(std::span(bytes)));
}

TEST(JpegScansTest, CountsWhatLibjpegWrote) {
  const Image photo = Photograph(61, 47);
  const std::vector<uint8_t> grey(size_t{64} * 64, 99);

  EXPECT_EQ(CountJpegScans(WriteJpeg({}, photo.View())), 1);
  EXPECT_EQ(CountJpegScans(WriteJpeg({.restart_interval = 1}, photo.View())),
            1);
  EXPECT_EQ(CountJpegScans(WriteJpeg({.progressive = true}, photo.View())), 10);
  EXPECT_EQ(CountJpegScans(WriteJpeg(
                {.colors = JpegColors::kGrey, .num_scans = 500}, 64, 64, grey)),
            500);
}

TEST(JpegScansTest, PixelsAreThoseOfAllScans) {
  const Image photo = Photograph(61, 47);

  EXPECT_EQ(CountJpegPixels(WriteJpeg({}, photo.View())), 61 * 47);
  EXPECT_EQ(CountJpegPixels(WriteJpeg({.progressive = true}, photo.View())),
            10 * 61 * 47);
  EXPECT_EQ(CountJpegPixels({}), 0);
  const Bytes file = WriteJpeg({}, photo.View());
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_LE(CountJpegPixels(std::span(file).first(size)), 61 * 47);
  }
}

TEST(JpegScansTest, IgnoresThoseOfAThumbnail) {
  const Bytes thumbnail = WriteJpeg({}, Photograph(16, 16).View());
  std::string exif = ExifBlock(1);
  for (const std::byte byte : thumbnail) {
    exif.push_back(std::to_integer<char>(byte));
  }

  EXPECT_EQ(
      CountJpegScans(WriteJpeg({.exif = exif}, Photograph(40, 30).View())), 1);
}

TEST(JpegScansTest, IgnoresStuffedBytesAndWhatFollowsTheEnd) {
  EXPECT_EQ(CountIn(std::string("\xFF\xD8"
                                "\xFF\xDA\0\2"
                                "a\xFF\0b\xFF\xD0\xFF\xFF\xFF\xDA\0\3c"
                                "\xFF\xD9"
                                "\xFF\xDA",
                                22)),
            2);
}

TEST(JpegScansTest, StopsAtTheEndOfATruncatedFile) {
  EXPECT_EQ(CountIn(""), 0);
  EXPECT_EQ(CountIn("\xFF"), 0);
  EXPECT_EQ(CountIn("\xFF\xFF\xFF"), 0);
  EXPECT_EQ(CountIn("\xFF\xD8\xFF\xDA"), 1);
  EXPECT_EQ(CountIn("\xFF\xD8\xFF\xDA\x7F"), 1);
  EXPECT_EQ(CountIn("\xFF\xD8\xFF\xDA\x7F\x7F"), 1);
}

}  // namespace
}  // namespace ladder::imaging
