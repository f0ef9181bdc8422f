#ifndef LADDER_IMAGING_JPEG_H_
#define LADDER_IMAGING_JPEG_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "imaging/decode_limits.h"
#include "imaging/image.h"
#include "imaging/orientation.h"

namespace ladder::imaging {

// Decodes a JPEG file into `image` as it is stored, and returns how it must be
// turned. Grey, YCbCr, RGB, CMYK and YCCK, sequential or progressive, 8 bits.
//
// A rejection (rejection.h) if it exceeds the limits, which is found out before
// any decoding, or if libjpeg complains: what it would only warn of, such as
// data that end too early or make no sense, is an error too. Two irregularities
// that leave no doubt about the pixels are let pass: stray bytes between
// segments, and unknown versions of the JFIF or Adobe header. After an error
// the pixels of `image` are unspecified.
absl::StatusOr<Orientation> DecodeJpeg(std::span<const std::byte> jpeg,
                                       const DecodeLimits& limits,
                                       Image& image);

// Counts the scans that a decoder meets in a JPEG file: the SOS markers before
// its end, not those of a thumbnail within another segment. Walks over the file
// without decoding it.
int64_t CountJpegScans(std::span<const std::byte> jpeg);

// Width times height times the number of scans, found in the same way; 0 if the
// file does not say.
int64_t CountJpegPixels(std::span<const std::byte> jpeg);

// A baseline JPEG file of the picture, its colours at half resolution (4:2:0);
// `quality` is libjpeg's, 1 to 100. InvalidArgument if it is another, or if a
// side of the picture is not in 1..65500.
absl::StatusOr<std::vector<std::byte>> EncodeJpeg(const ImageView& image,
                                                  int quality);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_JPEG_H_
