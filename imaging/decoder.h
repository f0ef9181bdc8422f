#ifndef LADDER_IMAGING_DECODER_H_
#define LADDER_IMAGING_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "imaging/decode_limits.h"
#include "imaging/image.h"

namespace ladder::imaging {

// How many pixels decoding `encoded` goes over, which is what it costs: width
// times height, once for each scan of a JPEG. By what the file says of itself,
// without decoding; 0 if it says nothing, or is neither JPEG nor PNG.
int64_t PixelsToDecode(std::span<const std::byte> encoded);

// Turns JPEG and PNG files into upright RGB pictures, as docs/imaging.md
// defines them.
//
// Holds the memory of one picture at a time, so each thread needs its own.
class Decoder {
 public:
  // Expects valid limits.
  explicit Decoder(const DecodeLimits& limits = {}) : limits_(limits) {}

  // The picture is valid until the next call. InvalidArgument, with its reason
  // (rejection.h), if `encoded` is neither JPEG nor PNG, exceeds the limits, or
  // is broken.
  absl::StatusOr<ImageView> Decode(std::span<const std::byte> encoded);

  // The memory that is held for the next picture, in bytes.
  size_t capacity() const { return stored_.capacity() + upright_.capacity(); }

 private:
  DecodeLimits limits_;
  Image stored_;
  Image upright_;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_DECODER_H_
