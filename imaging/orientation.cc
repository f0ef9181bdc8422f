#include "imaging/orientation.h"

#include <algorithm>
#include <cstddef>

namespace ladder::imaging {
namespace {

// Where the turned picture's pixels lie in the stored one, as steps in bytes.
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

}  // namespace

bool SwapsSides(Orientation orientation) {
  return orientation >= Orientation::kTranspose;
}

void Turn(const ImageView& stored, Orientation orientation, Image& upright) {
  if (SwapsSides(orientation)) {
    upright.Reset(stored.height, stored.width);
  } else {
    upright.Reset(stored.width, stored.height);
  }
  const Walk walk = FindWalk(stored, orientation);
  // In tiles, so that walking down the stored picture's columns stays within
  // cache lines that the next row of the tile uses again.
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

}  // namespace ladder::imaging
