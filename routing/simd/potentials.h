#ifndef LADDER_ROUTING_SIMD_POTENTIALS_H_
#define LADDER_ROUTING_SIMD_POTENTIALS_H_

#include <cstddef>

namespace ladder::routing::simd {

// True if all sums lie in [1e-30, 1e30]; outside, float sums have lost entries.
bool SumsInRange(const float* sums, size_t count);

// The update of one side's potentials after a pass.
struct PotentialUpdate {
  float scale;        // log2(e) / epsilon of the pass that made the sums.
  float next_scale;   // The same of the pass to come.
  double log2_count;  // log2 of the number of points on the other side.
  bool average;       // Keep half of the old potential.
};

// For each of `count` points, with the transform
//   t = (exponent - log2(sum) + log2_count) / scale,
// sets potential to t, or to the mean of itself and t, and then exponent to
// potential * next_scale. Expects sums in range. Arrays are padded to kLanePad.
void UpdatePotentials(const PotentialUpdate& update, const float* sums,
                      size_t count, double* potentials, float* exponents);

}  // namespace ladder::routing::simd

#endif  // LADDER_ROUTING_SIMD_POTENTIALS_H_
