#ifndef LADDER_IMAGING_RESIZER_H_
#define LADDER_IMAGING_RESIZER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "imaging/image.h"
#include "imaging/resize_weights.h"

namespace ladder::imaging {

// Resizes pictures by the antialiased bilinear filter of docs/imaging.md: bit
// for bit what Pillow's resize(..., BILINEAR) makes of them, on every
// processor.
//
// Holds the memory of one picture at a time, so each thread needs its own;
// allocates only when a picture needs more than any before.
class Resizer {
 public:
  // Expects positive sizes. The result is valid until the next call, and as
  // long as `image` if that has the right size already.
  ImageView Resize(const ImageView& image, int width, int height);

  size_t capacity() const { return resized_.capacity() + strips_.capacity(); }

 private:
  void Prepare(const ImageView& image, int width, int height);
  // Resizes rows across until `count` of them are done.
  void ResizeRowsAcross(const ImageView& image, int count);
  // The row, or a copy of it if the kernel would read beyond the picture.
  const uint8_t* ReadableRow(const ImageView& image, int y);
  uint8_t* Strip(int y);

  ResizeWeights across_;
  ResizeWeights down_;
  // Rows that were resized across and are still needed, in a ring.
  std::vector<uint8_t> strips_;
  int num_strips_ = 0;
  size_t strip_bytes_ = 0;
  int rows_done_ = 0;
  // The last rows of the picture, with room to read beyond their end.
  std::vector<uint8_t> copies_;
  size_t copy_bytes_ = 0;
  std::vector<const uint8_t*> taps_;  // The strips that make one new row.
  std::vector<uint8_t> new_row_;      // Has room to write beyond its end.
  Image resized_;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_RESIZER_H_
