#ifndef LADDER_IMAGING_DECODE_PNG_H_
#define LADDER_IMAGING_DECODE_PNG_H_

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "imaging/decode_limits.h"
#include "imaging/image.h"
#include "imaging/orientation.h"

namespace ladder::imaging {

// Decodes a PNG file into `image` as it is stored, and returns how it must be
// turned. Every colour type, bit depth and interlacing. Of 16 bits the upper 8
// are kept; transparency is dropped, so that a pixel keeps the colour it has
// under it; colour profiles and gamma are not applied.
//
// A rejection (rejection.h) if it exceeds the limits, which is found out before
// any decoding, or if libpng finds a fault, up to the end of the file. After an
// error the pixels of `image` are unspecified.
absl::StatusOr<Orientation> DecodePng(std::span<const std::byte> png,
                                      const DecodeLimits& limits, Image& image);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_DECODE_PNG_H_
