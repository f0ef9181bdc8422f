#ifndef LADDER_IMAGING_JPEG_SCANS_H_
#define LADDER_IMAGING_JPEG_SCANS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace ladder::imaging {

// How many scans a decoder meets in a JPEG file: the SOS markers before its
// end, not those of a thumbnail within another segment. Walks over the file
// without decoding it.
int64_t CountJpegScans(std::span<const std::byte> jpeg);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_JPEG_SCANS_H_
