#ifndef LADDER_ROUTING_QUANTILE_DISTANCE_H_
#define LADDER_ROUTING_QUANTILE_DISTANCE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/matrix_view.h"
#include "routing/style_distance.h"

namespace ladder::routing {

// The distance of the paper's simulation: the sum over coordinates of the
// squared one-dimensional Wasserstein-2 distance, estimated on a grid of
// quantiles. It sees the marginals only, so two clouds that differ in how their
// coordinates depend on each other are at distance zero; in return it costs
// O(n log n) and no exponentials.
//
// With m = min(max_levels, source rows, target rows), levels (i + 1/2) / m and
// linearly interpolated ("type 7") quantiles Q:
//
//   d_e = sum_j mean_i (Q_ej(i) - Q_0j(i))^2
//
// Immutable and thread-safe. Keeps its own sorted copy of the sources.
class QuantileDistance final : public StyleDistance {
 public:
  // InvalidArgument if there is no source, if a source is empty, holds a NaN or
  // infinity or has another dimension than the first, or if `max_levels` is
  // zero.
  static absl::StatusOr<QuantileDistance> Create(
      std::span<const MatrixView> sources, size_t max_levels = 256);

  size_t num_sources() const override { return sources_.size(); }
  size_t dimension() const override { return dimension_; }

 private:
  // A cloud with each coordinate sorted on its own.
  struct SortedColumns {
    explicit SortedColumns(const MatrixView& cloud);
    std::span<const float> Column(size_t column) const;

    size_t rows;
    std::vector<float> values;  // Column after column, each ascending.
  };

  QuantileDistance(size_t dimension, size_t max_levels)
      : dimension_(dimension), max_levels_(max_levels) {}

  absl::Status DoCompute(const MatrixView& target,
                         std::span<const size_t> sources,
                         std::span<double> distances,
                         const Execution& execution) const override;
  double Between(const SortedColumns& source,
                 const SortedColumns& target) const;

  size_t dimension_;
  size_t max_levels_;
  std::vector<SortedColumns> sources_;
};

// Divides `distances` by the largest of them, as the simulation does before its
// softmax; all zeros stay zeros. No part of the distance itself: the distance
// to one source must not depend on which others were asked for.
void NormalizeByLargest(std::span<double> distances);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_QUANTILE_DISTANCE_H_
