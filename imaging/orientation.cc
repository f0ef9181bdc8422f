#include "imaging/orientation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ladder::imaging {
namespace {

// The places of the turned picture's pixels in the stored one, as steps in
// bytes.
struct Walk {
  ptrdiff_t start;
  ptrdiff_t right;
  ptrdiff_t down;
};

Walk FindWalk(const ImageView& stored, Orientation orientation) {
  const ptrdiff_t x = kChannels;
  const auto y = static_cast<ptrdiff_t>(stored.row_bytes());
  const ptrdiff_t last_x = x * (stored.width - 1);
  const ptrdiff_t last_y = y * (stored.height - 1);
  switch (orientation) {
    case Orientation::kUpright:
      break;
    case Orientation::kMirror:
      return {.start = last_x, .right = -x, .down = y};
    case Orientation::kRotate180:
      return {.start = last_x + last_y, .right = -x, .down = -y};
    case Orientation::kFlip:
      return {.start = last_y, .right = x, .down = -y};
    case Orientation::kTranspose:
      return {.start = 0, .right = y, .down = x};
    case Orientation::kRotate90:
      return {.start = last_y, .right = -y, .down = x};
    case Orientation::kTransverse:
      return {.start = last_x + last_y, .right = -y, .down = -x};
    case Orientation::kRotate270:
      return {.start = last_x, .right = y, .down = -x};
  }
  return {.start = 0, .right = x, .down = y};
}

constexpr std::array<char, 6> kExifMark = {'E', 'x', 'i', 'f', 0, 0};

constexpr uint64_t kTiffVersion = 42;
constexpr uint64_t kOrientationTag = 0x0112;
constexpr uint64_t kShortType = 3;
constexpr size_t kEntryBytes = 12;

// Numbers in a block of bytes, in its byte order. Those outside of the block
// read as zero, which is none of the values looked for.
class TiffReader {
 public:
  TiffReader(std::span<const std::byte> data, bool big_endian)
      : data_(data), big_endian_(big_endian) {}

  uint64_t Short(size_t offset) const { return Number(offset, 2); }
  uint64_t Long(size_t offset) const { return Number(offset, 4); }

 private:
  uint64_t Number(size_t offset, size_t size) const {
    if (offset > data_.size() || data_.size() - offset < size) return 0;
    uint64_t number = 0;
    for (size_t i = 0; i < size; ++i) {
      const size_t place = big_endian_ ? i : size - 1 - i;
      number = number << 8 | std::to_integer<uint64_t>(data_[offset + place]);
    }
    return number;
  }

  std::span<const std::byte> data_;
  bool big_endian_;
};

}  // namespace

void Turn(const ImageView& stored, Orientation orientation, Image& upright) {
  const bool swaps_sides = orientation >= Orientation::kTranspose;
  upright.Reset(swaps_sides ? stored.height : stored.width,
                swaps_sides ? stored.width : stored.height);
  const Walk walk = FindWalk(stored, orientation);
  // Works in tiles, so that walking down the stored picture's columns stays
  // within cache lines that the next row of the tile uses again.
  constexpr int kTile = 32;
  for (int top = 0; top < upright.height(); top += kTile) {
    const int bottom = std::min(top + kTile, upright.height());
    for (int left = 0; left < upright.width(); left += kTile) {
      const int right = std::min(left + kTile, upright.width());
      for (int y = top; y < bottom; ++y) {
        const uint8_t* from =
            stored.pixels + walk.start + walk.down * y + walk.right * left;
        uint8_t* to = upright.Row(y) + ptrdiff_t{left} * kChannels;
        for (int x = left; x < right; ++x) {
          std::copy_n(from, kChannels, to);
          from += walk.right;
          to += kChannels;
        }
      }
    }
  }
}

Orientation ExifOrientation(std::span<const std::byte> tiff) {
  if (tiff.size() < 2 || tiff[0] != tiff[1]) return Orientation::kUpright;
  const auto order = std::to_integer<char>(tiff[0]);
  if (order != 'I' && order != 'M') return Orientation::kUpright;
  const TiffReader reader(tiff, /*big_endian=*/order == 'M');
  if (reader.Short(2) != kTiffVersion) return Orientation::kUpright;

  const size_t directory = reader.Long(4);
  const size_t num_entries = reader.Short(directory);
  for (size_t i = 0; i < num_entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (reader.Short(entry) != kOrientationTag) continue;
    const uint64_t value = reader.Short(entry + 8);
    if (reader.Short(entry + 2) != kShortType || value < 1 || value > 8) break;
    return static_cast<Orientation>(value);
  }
  return Orientation::kUpright;
}

std::span<const std::byte> FindExif(std::span<const std::byte> app1) {
  const bool found = app1.size() >= kExifMark.size() &&
                     std::equal(kExifMark.begin(), kExifMark.end(),
                                app1.begin(), [](char mark, std::byte byte) {
                                  return mark == std::to_integer<char>(byte);
                                });
  if (!found) return {};
  return app1.subspan(kExifMark.size());
}

}  // namespace ladder::imaging
