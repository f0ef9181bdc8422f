#include "imaging/resizer.h"

#include <algorithm>

#include "imaging/weighted_rows.h"

namespace ladder::imaging {
namespace {

constexpr size_t RoundUp(size_t size, size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

size_t PixelBytes(int num_pixels) {
  return static_cast<size_t>(num_pixels) * kChannels;
}

}  // namespace

ImageView Resizer::Resize(const ImageView& image, int width, int height) {
  if (image.width == width && image.height == height) return image;
  Prepare(image, width, height);
  for (int y = 0; y < height; ++y) {
    const int start = down_.start(y);
    ResizeRowsAcross(image, std::min(start + down_.taps(), image.height));
    for (int t = 0; t < down_.taps(); ++t) {
      // Rows beyond the end have no weight.
      taps_[static_cast<size_t>(t)] =
          Strip(std::min(start + t, image.height - 1));
    }
    ResizeDown(taps_.data(), down_.high(y), down_.low(y), down_.taps(),
               new_row_.size(), new_row_.data());
    std::copy_n(new_row_.data(), PixelBytes(width), resized_.Row(y));
  }
  return resized_.View();
}

void Resizer::Prepare(const ImageView& image, int width, int height) {
  across_.Assign(image.width, width);
  down_.Assign(image.height, height);
  resized_.Reset(width, height);
  rows_done_ = 0;
  // A group may be ahead of what is needed by all but one of its rows.
  num_strips_ = down_.taps() + kRowGroup;
  const size_t row_bytes = RoundUp(PixelBytes(width), kPad);
  strip_bytes_ = row_bytes + kPad;  // For the kernel's overrun.
  strips_.resize(strip_bytes_ * static_cast<size_t>(num_strips_));
  copy_bytes_ = PixelBytes(std::max(image.width, across_.taps())) + kOverrun;
  copies_.resize(copy_bytes_ * kRowGroup);
  new_row_.resize(row_bytes);
  taps_.resize(static_cast<size_t>(down_.taps()));
}

void Resizer::ResizeRowsAcross(const ImageView& image, int count) {
  while (rows_done_ < count) {
    const uint8_t* rows[kRowGroup];
    uint8_t* strips[kRowGroup];
    for (int r = 0; r < kRowGroup; ++r) {
      const int y = std::min(rows_done_ + r, image.height - 1);
      rows[r] = ReadableRow(image, y);
      strips[r] = Strip(y);
    }
    ResizeAcross(across_, rows, strips);
    rows_done_ = std::min(rows_done_ + kRowGroup, image.height);
  }
}

const uint8_t* Resizer::ReadableRow(const ImageView& image, int y) {
  const size_t rest = image.row_bytes() * static_cast<size_t>(image.height - y);
  if (rest >= copy_bytes_) return image.Row(y);
  uint8_t* copy =
      copies_.data() + copy_bytes_ * static_cast<size_t>(y % kRowGroup);
  std::copy_n(image.Row(y), image.row_bytes(), copy);
  return copy;
}

uint8_t* Resizer::Strip(int y) {
  return strips_.data() + strip_bytes_ * static_cast<size_t>(y % num_strips_);
}

}  // namespace ladder::imaging
