#ifndef LADDER_IMAGING_DECODE_LIMITS_H_
#define LADDER_IMAGING_DECODE_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace ladder::imaging {

// Limits what a picture may cost, checked before any of it is decoded.
struct DecodeLimits {
  // Width times height. A pixel takes 3 bytes; 6 while it is being turned
  // upright, up to 11 while a progressive JPEG is being decoded.
  int64_t max_pixels = 50'000'000;

  // Width, and height. The default is what a JPEG can have at most. It bounds
  // the work of scaling up a picture that is only one pixel wide.
  int64_t max_dimension = 65'535;

  // Passes over the whole picture in one JPEG, of which ordinary progressive
  // ones have about ten. Time grows with their number, not with the file.
  int64_t max_jpeg_scans = 32;

  // InvalidArgument if a limit is not positive, or larger than the decoders'
  // own (max_dimension at most 1,000,000).
  absl::Status Validate() const;

  // InvalidArgument, a rejection as too large, if they are exceeded.
  absl::Status CheckSize(int64_t width, int64_t height) const;
  absl::Status CheckJpegScans(int64_t num_scans) const;
};

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_DECODE_LIMITS_H_
