#ifndef LADDER_IMAGING_WEIGHTED_ROWS_H_
#define LADDER_IMAGING_WEIGHTED_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "imaging/resize_weights.h"

// The loops of resizing, built for every instruction set. All of them give the
// same bits: a pixel is (sum of weight * value + 2^21) >> 22 in integers.
namespace ladder::imaging {

// One call of ResizeAcross takes so many rows.
inline constexpr int kRowGroup = 4;

// ResizeAcross reads up to this many bytes beyond the last pixel it needs, and
// writes up to as many beyond the last that it makes.
inline constexpr size_t kOverrun = 16;

// Resizes rows of RGB pixels from weights.in_size() to weights.out_size()
// pixels. Each input must be readable up to kOverrun beyond
//   3 * max(in_size, taps)
// bytes. Rows may repeat, for groups that are not full.
void ResizeAcross(const ResizeWeights& weights,
                  const uint8_t* const rows[kRowGroup],
                  uint8_t* const resized[kRowGroup]);

// The weighted sum of `taps` rows (an even number), byte by byte. `high` and
// `low` are the weights' pieces. `num_bytes` must be a multiple of kPad.
inline constexpr size_t kPad = 64;
void ResizeDown(const uint8_t* const* rows, const int16_t* high,
                const int16_t* low, int taps, size_t num_bytes, uint8_t* out);

}  // namespace ladder::imaging

#endif  // LADDER_IMAGING_WEIGHTED_ROWS_H_
