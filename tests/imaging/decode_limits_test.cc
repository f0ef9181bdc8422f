#include "imaging/decode_limits.h"

#include <limits>

#include "gtest/gtest.h"
#include "imaging/rejection.h"

namespace ladder::imaging {
namespace {

TEST(DecodeLimitsTest, AcceptsWhatIsWithinThem) {
  const DecodeLimits limits{
      .max_pixels = 600, .max_dimension = 30, .max_jpeg_scans = 3};

  EXPECT_TRUE(limits.CheckSize(30, 20).ok());
  EXPECT_TRUE(limits.CheckJpegScans(3).ok());
}

TEST(DecodeLimitsTest, NamesTheLimitThatIsExceeded) {
  const DecodeLimits limits{
      .max_pixels = 600, .max_dimension = 30, .max_jpeg_scans = 3};

  const absl::Status pixels = limits.CheckSize(30, 21);
  EXPECT_EQ(pixels.message(),
            "image is 30 x 21 = 630 pixels: more than max_pixels = 600");
  const absl::Status sides = limits.CheckSize(1, 31);
  EXPECT_EQ(sides.message(),
            "image is 1 x 31 pixels: neither side may exceed max_dimension = "
            "30");
  const absl::Status scans = limits.CheckJpegScans(4);
  EXPECT_EQ(scans.message(), "JPEG has 4 scans: more than max_jpeg_scans = 3");
  for (const absl::Status& status : {pixels, sides, scans}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(GetRejection(status), Rejection::kTooLarge);
  }
}

TEST(DecodeLimitsTest, TheLargestSizesDoNotOverflow) {
  constexpr int64_t kLargest = std::numeric_limits<uint32_t>::max();

  EXPECT_FALSE(DecodeLimits{}.CheckSize(kLargest, kLargest).ok());
}

TEST(DecodeLimitsTest, ValidateNamesTheOption) {
  EXPECT_TRUE(DecodeLimits{}.Validate().ok());
  EXPECT_EQ(DecodeLimits{.max_pixels = 0}.Validate().message(),
            "max_pixels must be positive, got 0");
  EXPECT_EQ(DecodeLimits{.max_dimension = 1'000'001}.Validate().message(),
            "max_dimension must lie in 1..1000000, got 1000001");
  EXPECT_EQ(DecodeLimits{.max_jpeg_scans = -1}.Validate().message(),
            "max_jpeg_scans must be positive, got -1");
}

}  // namespace
}  // namespace ladder::imaging
