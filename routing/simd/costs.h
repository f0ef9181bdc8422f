#ifndef LADDER_ROUTING_SIMD_COSTS_H_
#define LADDER_ROUTING_SIMD_COSTS_H_

#include <cstddef>

#include "routing/simd/cost_matrix.h"

namespace ladder::routing::simd {

// A cloud of points as the kernels read it: by rows as the left operand, by
// panels as the right one.
struct PointsView {
  const float* rows;           // count x dimension, row-major.
  const float* panels;         // Transposed: panels[p][k][j] is coordinate k of
                               // point p * kPanelWidth + j, 0 past the last.
  const float* squared_norms;  // count, padded to kPanelWidth.
  size_t count;
  size_t dimension;
};

// Fills `costs` with C_ij = sqrt(max(|x_i - y_j|^2, 1e-8)), kNeverCost in the
// padding, and sums it over rows and columns (`row_sums` padded to kRowBlock,
// `col_sums` to costs.stride). Inner products by a blocked matrix product;
// entries where |x|^2 + |y|^2 - 2xy would cancel are computed from differences.
void CrossCosts(const PointsView& x, const PointsView& y,
                const CostMatrix& costs, float* row_sums, float* col_sums);

// The same between the points of one cloud, right of the diagonal only
// (`costs.upper_only`), kNeverCost elsewhere. Returns the smallest cost between
// two points, kNeverCost if there is only one.
float SelfCosts(const PointsView& x, const CostMatrix& costs);

// Sums the squares of A_ij = C_ij - row_offset[i] - col_offset[j] over each row
// and each column, in arrays padded like those of CrossCosts. Returns the
// largest |A|, or a value above `give_up_above` with the sums unfinished.
float ResidualSums(const CostMatrix& costs, const float* row_offset,
                   const float* col_offset, float give_up_above,
                   float* row_sums, float* col_sums);

}  // namespace ladder::routing::simd

#endif  // LADDER_ROUTING_SIMD_COSTS_H_
