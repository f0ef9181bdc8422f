#ifndef LADDER_IMAGING_IMAGE_H_
#define LADDER_IMAGING_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ladder::imaging {

inline constexpr int kChannels = 3;

// Somebody else's picture: rows from top to bottom without gaps, pixels from
// left to right, each its red, green and blue in 0..255.
struct ImageView {
  const uint8_t* pixels = nullptr;
  int width = 0;
  int height = 0;

  size_t row_bytes() const { return static_cast<size_t>(width) * kChannels; }
  size_t num_bytes() const { return row_bytes() * static_cast<size_t>(height); }
  const uint8_t* Row(int y) const {
    return pixels + row_bytes() * static_cast<size_t>(y);
  }
};

// A picture with memory of its own, reused from one to the next: it grows when
// it must and never shrinks.
class Image {
 public:
  // Makes room for a picture of this size; its pixels are unspecified.
  void Reset(int width, int height) {
    width_ = width;
    height_ = height;
    const size_t size = View().num_bytes();
    if (size > capacity_) {
      pixels_.reset();  // Frees first, so that the two never coexist.
      capacity_ = 0;
      pixels_ = std::make_unique_for_overwrite<uint8_t[]>(size);
      capacity_ = size;
    }
  }

  int width() const { return width_; }
  int height() const { return height_; }
  size_t capacity() const { return capacity_; }  // Counted in bytes.
  uint8_t* Row(int y) {
    return pixels_.get() + View().row_bytes() * static_cast<size_t>(y);
  }
  // Valid until the next Reset.
  ImageView View() const { return {pixels_.get(), width_, height_}; }

 private:
  std::unique_ptr<uint8_t[]> pixels_;
  size_t capacity_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_IMAGE_H_
