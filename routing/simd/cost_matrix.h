#ifndef LADDER_ROUTING_SIMD_COST_MATRIX_H_
#define LADDER_ROUTING_SIMD_COST_MATRIX_H_

#include <cstddef>

// The loops in which routing spends its time live in this folder, compiled once
// per instruction set by Highway and chosen at run time. They know nothing of
// sources or groups: plain arrays in, plain arrays out. Arrays are aligned to
// kAlignment bytes and padded as each comment says; what lies in the padding
// never matters.
namespace ladder::routing::simd {

inline constexpr size_t kAlignment = 64;
inline constexpr size_t kLanePad = 16;     // The widest vector, in floats.
inline constexpr size_t kRowBlock = 4;     // Rows that a kernel pass shares.
inline constexpr size_t kPanelWidth = 32;  // Columns of a packed panel.

// No cost is smaller, not even that of a point to itself.
inline constexpr double kSmallestCost = 1e-4;

// A cost of this size is as good as infinite: its kernel entry is exactly 0.
// Not an infinity, because infinity minus infinity is not a number.
inline constexpr float kNeverCost = 1e30F;

constexpr size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A matrix of ground costs between two clouds, owned by its caller.
struct CostMatrix {
  float* data;    // RoundUp(rows, kRowBlock) rows of `stride` floats each.
  size_t stride;  // A multiple of kLanePad, at least cols.
  size_t rows;
  size_t cols;
  bool upper_only;  // Symmetric: only the entries right of the diagonal count.
};

// A stride for `cols` columns whose multiples spread over the cache's sets.
constexpr size_t CostStride(size_t cols) {
  return (RoundUp(cols, kPanelWidth) / kLanePad | 1) * kLanePad;
}

}  // namespace ladder::routing::simd

#endif  // LADDER_ROUTING_SIMD_COST_MATRIX_H_
