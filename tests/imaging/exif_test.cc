#include <random>
#include <string>

#include "gtest/gtest.h"
#include "imaging/orientation.h"
#include "tests/imaging/test_images.h"

namespace ladder::imaging {
namespace {

Orientation OrientationOf(const std::string& tiff) {
  return ExifOrientation(std::as_bytes(std::span(tiff)));
}

TEST(ExifTest, ReadsEveryOrientationInBothByteOrders) {
  for (const bool big_endian : {false, true}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      EXPECT_EQ(OrientationOf(ExifBlock(orientation, big_endian)),
                static_cast<Orientation>(orientation));
    }
  }
}

TEST(ExifTest, NumbersThatAreNoOrientationMeanUpright) {
  for (const int number : {0, 9, 256, 65535}) {
    EXPECT_EQ(OrientationOf(ExifBlock(number)), Orientation::kUpright);
  }
}

TEST(ExifTest, OrientationsOfAnotherTypeMeanUpright) {
  std::string tiff = ExifBlock(6);
  constexpr size_t kSecondEntry = 10 + 12;
  tiff[kSecondEntry + 2] = 2;  // Text.

  EXPECT_EQ(OrientationOf(tiff), Orientation::kUpright);
}

TEST(ExifTest, WhatIsNotExifMeansUpright) {
  EXPECT_EQ(OrientationOf(""), Orientation::kUpright);
  EXPECT_EQ(OrientationOf("I"), Orientation::kUpright);
  EXPECT_EQ(OrientationOf("IM*"), Orientation::kUpright);
  EXPECT_EQ(OrientationOf(std::string(100, 'I')), Orientation::kUpright);
  EXPECT_EQ(OrientationOf(std::string(100, '\0')), Orientation::kUpright);
}

TEST(ExifTest, TruncatedAndDamagedBlocksAreReadWithinTheirBounds) {
  const std::string tiff = ExifBlock(6, /*big_endian=*/true);
  for (size_t size = 0; size < tiff.size(); ++size) {
    // A copy of its own, so that a sanitizer sees its end.
    OrientationOf(std::string(tiff.data(), size));
  }
  std::mt19937 random(5);
  for (int i = 0; i < 10'000; ++i) {
    std::string damaged = tiff;
    for (int flips = 0; flips < 3; ++flips) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto orientation = static_cast<int>(OrientationOf(damaged));
    EXPECT_GE(orientation, 1);
    EXPECT_LE(orientation, 8);
  }
}

TEST(ExifTest, FindsTheBlockBehindItsMark) {
  const std::string contents = std::string("Exif\0\0", 6) + ExifBlock(3);

  const auto block = FindExif(std::as_bytes(std::span(contents)));

  EXPECT_EQ(ExifOrientation(block), Orientation::kRotate180);
}

TEST(ExifTest, FindsNoBlockInOtherSegments) {
  const std::string xmp = "http://ns.adobe.com/xap/1.0/";
  const std::string stump = "Exif";

  EXPECT_TRUE(FindExif(std::as_bytes(std::span(xmp))).empty());
  EXPECT_TRUE(FindExif(std::as_bytes(std::span(stump))).empty());
}

}  // namespace
}  // namespace ladder::imaging
