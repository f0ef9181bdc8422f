#ifndef LADDER_IMAGING_ORIENTATION_H_
#define LADDER_IMAGING_ORIENTATION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "imaging/image.h"

namespace ladder::imaging {

// Says how a stored picture must be turned to be upright, in EXIF's own
// numbers.
enum class Orientation : uint8_t {
  kUpright = 1,
  kMirror = 2,  // Left to right.
  kRotate180 = 3,
  kFlip = 4,        // Top to bottom.
  kTranspose = 5,   // Rows become columns.
  kRotate90 = 6,    // Clockwise.
  kTransverse = 7,  // Transposed along the other diagonal.
  kRotate270 = 8,   // Clockwise.
};

// Writes `stored`, turned upright, to `upright`, which must not share its
// memory.
void Turn(const ImageView& stored, Orientation orientation, Image& upright);

// The orientation in an EXIF block, which is a TIFF file without pictures.
// kUpright if there is none or the block is damaged: a picture is not refused
// for what is written beside it.
Orientation ExifOrientation(std::span<const std::byte> tiff);

// The EXIF block in the contents of a JPEG's APP1 segment; empty if they are
// something else, such as XMP.
std::span<const std::byte> FindExif(std::span<const std::byte> app1);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_ORIENTATION_H_
