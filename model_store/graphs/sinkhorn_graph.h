#ifndef LADDER_MODEL_STORE_GRAPHS_SINKHORN_GRAPH_H_
#define LADDER_MODEL_STORE_GRAPHS_SINKHORN_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "model_store/graphs/graph_builder.h"
#include "routing/epsilon_schedule.h"
#include "routing/sinkhorn_options.h"

namespace ladder::model_store {

// The parts of docs/sinkhorn.md as nodes of a graph, for B problems side by
// side.

// The origin from which to measure the coordinates of points in the box from
// `lower` to `upper`, so that little is lost when they are squared: the lower
// end of dimensions in which the box is far from zero, where subtracting it is
// exact (Sterbenz: x - l has no rounding for l <= x <= 2 l), else zero.
GraphValue ExactOrigin(const GraphValue& lower, const GraphValue& upper);

// |x_i - y_j|^2, B x n x m, of points x (B x n x dimension) and y (B x m x
// dimension); 1 stands for any B. Its error is a few float roundings of the
// result itself, not of |x|^2 + |y|^2, while the points are spread about zero
// without outliers; with outliers it grows towards the latter.
GraphValue SquaredDistances(const GraphValue& x, const GraphValue& y,
                            size_t dimension);

// The distances of the points `x` (B x n x dimension) from each other, exactly
// the smallest cost on the diagonal. No square is taken for less than
// `smallest_square`, which must broadcast.
GraphValue SelfCosts(const GraphValue& x, const GraphValue& smallest_square,
                     size_t dimension);

// The updates of the potentials: one row for each, [steps, B, 1, 1].
struct UpdateSteps {
  GraphValue inverse_epsilon;
  // Epsilon times the weight of the new value: 1 in unaveraged updates, 1/2 in
  // averaged ones, 0 after the end.
  GraphValue weighted_epsilon;
};

// Steps known now, for schedules of equal size.
UpdateSteps ConstantSteps(GraphBuilder& graph,
                          std::span<const routing::EpsilonSchedule> schedules);

// The ends of the schedules of some diameters; all of the diameters' shape.
struct ScheduleEnds {
  GraphValue num_scaled;  // Steps between the first and the last, as floats.
  GraphValue phase;  // EpsilonSchedule::Phase; any value without such steps.
};
ScheduleEnds FindScheduleEnds(const GraphValue& diameters,
                              const routing::SinkhornOptions& options);

// The steps for `diameters` [B], of which the longest schedule sets the number.
UpdateSteps ComputedSteps(const GraphValue& diameters,
                          const GraphValue& num_scaled,
                          const routing::SinkhornOptions& options);

// The potentials of the cross problem, f [B, n, 1] and g [B, 1, m], for `costs`
// [B, n, m]. A row's mean is its sum times `inverse_num_columns`, so that
// columns whose cost is infinite, in effect, do not count.
struct CrossPotentials {
  GraphValue f;
  GraphValue g;
};
CrossPotentials SolveCross(const GraphValue& costs,
                           const GraphValue& inverse_num_columns,
                           const UpdateSteps& steps, int64_t batch);

// The potential p [B, n, 1] of the self problem; `costs` are symmetric.
GraphValue SolveSelf(const GraphValue& costs,
                     const GraphValue& inverse_num_columns,
                     const UpdateSteps& steps, int64_t batch);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_GRAPHS_SINKHORN_GRAPH_H_
