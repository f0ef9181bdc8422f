#ifndef LADDER_IMAGING_SIMD_LOOKUP_H_
#define LADDER_IMAGING_SIMD_LOOKUP_H_

#include <cstddef>
#include <cstdint>

namespace ladder::imaging::simd {

// Parts RGB pixels into three planes of `num_pixels` numbers each, looking
// every value up in its channel's table of 256. Built for every instruction
// set.
void LookUpPlanes(const uint8_t* pixels, size_t num_pixels,
                  const float* const tables[3], float* planes);

}  // namespace ladder::imaging::simd

#endif  // LADDER_IMAGING_SIMD_LOOKUP_H_
