#ifndef LADDER_IMAGING_EXIF_H_
#define LADDER_IMAGING_EXIF_H_

#include <cstddef>
#include <span>

#include "imaging/orientation.h"

namespace ladder::imaging {

// The orientation in an EXIF block, which is a TIFF file without pictures.
// kUpright if there is none or the block is damaged: a picture is not refused
// for what is written beside it.
Orientation ExifOrientation(std::span<const std::byte> tiff);

// The EXIF block in the contents of a JPEG's APP1 segment; empty if they are
// something else, such as XMP.
std::span<const std::byte> FindExif(std::span<const std::byte> app1);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_EXIF_H_
