#include "imaging/decoder.h"

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "imaging/decode_png.h"
#include "imaging/jpeg.h"
#include "imaging/orientation.h"
#include "imaging/rejection.h"

namespace ladder::imaging {
namespace {

constexpr absl::string_view kJpegStart("\xFF\xD8\xFF", 3);
constexpr absl::string_view kPngStart("\x89PNG\r\n\x1A\n", 8);

// A format that people send instead, known by the bytes at some offset.
struct Signature {
  size_t offset;
  absl::string_view bytes;
  absl::string_view name;
};
constexpr Signature kOthers[] = {
    {0, "GIF8", "GIF"},
    {8, "WEBP", "WebP"},
    {0, "BM", "BMP"},
    {0, absl::string_view("II*\0", 4), "TIFF"},
    {0, absl::string_view("MM\0*", 4), "TIFF"},
    {4, "ftypavif", "AVIF"},
    {4, "ftyphei", "HEIC"},
    {4, "ftypmif1", "HEIF"},
    {4, "ftyp", "a video or other MP4 container"},
    {4, "jP  ", "JPEG 2000"},
    {0, absl::string_view("\xFF\x0A", 2), "JPEG XL"},
    {4, "JXL ", "JPEG XL"},
    {0, "%PDF", "PDF"},
    {0, "<", "HTML, SVG or other XML"},
};

std::string DescribeStart(absl::string_view start) {
  if (start.empty()) return "no bytes";
  for (const Signature& other : kOthers) {
    if (start.size() >= other.offset &&
        absl::StartsWith(start.substr(other.offset), other.bytes)) {
      return std::string(other.name);
    }
  }
  constexpr size_t kShown = 8;
  return absl::StrCat("bytes ",
                      absl::BytesToHexString(start.substr(0, kShown)));
}

absl::string_view Start(std::span<const std::byte> encoded) {
  constexpr size_t kLongest = 16;
  return {reinterpret_cast<const char*>(encoded.data()),
          std::min(encoded.size(), kLongest)};
}

// A side of a PNG picture, which its first segment begins with.
int64_t PngSide(std::span<const std::byte> png, size_t offset) {
  constexpr size_t kSegmentAt = 16;
  constexpr size_t kSideBytes = 4;
  if (png.size() < kSegmentAt + offset + kSideBytes) return 0;
  int64_t side = 0;
  for (const std::byte b : png.subspan(kSegmentAt + offset, kSideBytes)) {
    side = side << 8 | std::to_integer<int64_t>(b);
  }
  return side;
}

absl::StatusOr<Orientation> DecodeStored(std::span<const std::byte> encoded,
                                         const DecodeLimits& limits,
                                         Image& image) {
  const absl::string_view start = Start(encoded);
  if (absl::StartsWith(start, kJpegStart)) {
    return DecodeJpeg(encoded, limits, image);
  }
  if (absl::StartsWith(start, kPngStart)) {
    return DecodePng(encoded, limits, image);
  }
  return RejectImage(
      Rejection::kUnsupported,
      absl::StrCat("expected JPEG or PNG, found ", DescribeStart(start)));
}

}  // namespace

int64_t PixelsToDecode(std::span<const std::byte> encoded) {
  const absl::string_view start = Start(encoded);
  if (absl::StartsWith(start, kJpegStart)) return CountJpegPixels(encoded);
  if (!absl::StartsWith(start, kPngStart)) return 0;
  int64_t pixels = 0;
  // Sides of 31 bits each, if they are valid at all.
  return __builtin_mul_overflow(PngSide(encoded, 0), PngSide(encoded, 4),
                                &pixels)
             ? 0
             : pixels;
}

absl::StatusOr<ImageView> Decoder::Decode(std::span<const std::byte> encoded) {
  LADDER_ASSIGN_OR_RETURN(const auto orientation,
                          DecodeStored(encoded, limits_, stored_));
  if (orientation == Orientation::kUpright) return stored_.View();
  Turn(stored_.View(), orientation, upright_);
  return upright_.View();
}

}  // namespace ladder::imaging
