#include "imaging/decode_limits.h"

#include "absl/strings/str_cat.h"
#include "imaging/rejection.h"

namespace ladder::imaging {
namespace {

// A larger limit is refused, so that the bytes of a row, and weights along it,
// can be counted in an int.
constexpr int64_t kLargestDimension = 1'000'000;

}  // namespace

absl::Status DecodeLimits::Validate() const {
  if (max_pixels < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_pixels must be positive, got ", max_pixels));
  }
  if (max_dimension < 1 || max_dimension > kLargestDimension) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_dimension must lie in 1..", kLargestDimension,
                     ", got ", max_dimension));
  }
  if (max_jpeg_scans < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_jpeg_scans must be positive, got ", max_jpeg_scans));
  }
  return absl::OkStatus();
}

absl::Status DecodeLimits::CheckSize(int64_t width, int64_t height) const {
  // Dimensions are below 2^32 in both formats, but their product need not fit.
  if (width > max_dimension || height > max_dimension) {
    return RejectImage(
        Rejection::kTooLarge,
        absl::StrCat("image is ", width, " x ", height,
                     " pixels: neither side may exceed max_dimension = ",
                     max_dimension));
  }
  if (width * height > max_pixels) {
    return RejectImage(
        Rejection::kTooLarge,
        absl::StrCat("image is ", width, " x ", height, " = ", width * height,
                     " pixels: more than max_pixels = ", max_pixels));
  }
  return absl::OkStatus();
}

absl::Status DecodeLimits::CheckJpegScans(int64_t num_scans) const {
  if (num_scans > max_jpeg_scans) {
    return RejectImage(
        Rejection::kTooLarge,
        absl::StrCat("JPEG has ", num_scans,
                     " scans: more than max_jpeg_scans = ", max_jpeg_scans));
  }
  return absl::OkStatus();
}

}  // namespace ladder::imaging
