#ifndef LADDER_ROUTING_SIMD_KERNEL_SUMS_H_
#define LADDER_ROUTING_SIMD_KERNEL_SUMS_H_

#include <cstddef>

#include "routing/simd/cost_matrix.h"

namespace ladder::routing::simd {

// The order of a sweep through memory. Sweeps that alternate find the end of
// the one before still in the cache.
enum class Sweep { kDown, kUp };

// Sums K_ij = 2^(row_exponent[i] + col_exponent[j] - scale C_ij) over each row
// and each column, one exponential serving both. `row_exponent`
// and `row_sums` are padded to kRowBlock, `col_exponent` and `col_sums` to
// costs.stride.
void KernelSums(const CostMatrix& costs, const float* row_exponent,
                const float* col_exponent, float scale, Sweep sweep,
                float* row_sums, float* col_sums);

// Turns the sums of an `upper_only` matrix into those of the whole symmetric
// one: row_sums[i] += col_sums[i] + 2^(2 exponents[i] - scale kSmallestCost),
// the power being the diagonal's entry. Arrays are padded to kLanePad.
void AddMirrorAndDiagonal(const float* exponents, const float* col_sums,
                          float scale, size_t count, float* row_sums);

}  // namespace ladder::routing::simd

#endif  // LADDER_ROUTING_SIMD_KERNEL_SUMS_H_
