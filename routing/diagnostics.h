#ifndef LADDER_ROUTING_DIAGNOSTICS_H_
#define LADDER_ROUTING_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/matrix_view.h"
#include "routing/style_distance.h"

namespace ladder::routing {

// A group and what led to its weights, SoftmaxWeights(distances, k, tau).
struct RoutedSample {
  // Normalised style vectors.
  MatrixView style = {};
  // The sources that may get weight, ascending, and how far each is.
  std::span<const size_t> sources = {};
  std::span<const double> distances = {};
  size_t k = 1;
  double tau = 1;
};

struct StabilityOptions {
  size_t num_pairs = 1;        // Each gives two half-samples.
  size_t max_half_rows = 256;  // Bounds the cost; see AssessStability.
  uint64_t seed = 0;

  // InvalidArgument if there are no pairs or no rows to put in them.
  absl::Status Validate() const;
};

// Total variation, in [0, 1], between the group's weights and those that its
// half-samples give: the share of the weight that other samples would move.
struct WeightStability {
  double mean_total_variation = 0;
  double max_total_variation = 0;
  size_t half_rows = 0;  // Rows in each half-sample.
};

// Random halves of a group's style vectors, with the distances to sources that
// were measured for them: whoever asks several questions about one group
// measures each distance once. One user at a time.
class HalfSamples {
 public:
  // Expects valid options; `style` must outlive it.
  HalfSamples(const MatrixView& style, const StabilityOptions& options);

  size_t num_halves() const { return halves_.size(); }  // 0: too few rows.
  size_t half_rows() const { return half_rows_; }       // In each.

  // The distances from a half to `sources`. Errors as StyleDistance::Compute.
  absl::StatusOr<std::vector<double>> Distances(const StyleDistance& distance,
                                                size_t half,
                                                std::span<const size_t> sources,
                                                const Execution& execution);

 private:
  struct Half {
    std::vector<size_t> rows;       // Which of the group's.
    std::vector<double> distances;  // By source; NaN until it is measured.
  };

  MatrixView style_;
  size_t half_rows_ = 0;
  std::vector<Half> halves_;
};

// Routes random halves of the group and reports how far their weights are from
// those of the whole. A pair of halves shares no row. To first order, a half
// differs from the whole as much as the whole differs from an infinite sample
// (both have variance s^2 / n), so the spread is an estimate of the error in
// the weights. Halves cut short by `max_half_rows` overstate it.
//
// Only the min(E, 2 k) sources nearest to the whole group are measured again.
// Per call that is at most 2 x num_pairs x max_half_rows x min(E, 2 k) row-to-
// source distances beside the n x E of the group itself: with the defaults, k =
// 5 and 1024 rows, about half as much again for eleven sources.
//
// No value for fewer than four rows, whose halves say nothing. InvalidArgument
// if the options are not valid, if the sizes of `sources` and `distances`
// differ, and as SoftmaxWeights and StyleDistance::Compute; Cancelled likewise.
absl::StatusOr<std::optional<WeightStability>> AssessStability(
    const StyleDistance& distance, const RoutedSample& sample,
    const StabilityOptions& options, const Execution& execution);

// The same by halves that were drawn already, from the same style vectors.
absl::StatusOr<std::optional<WeightStability>> AssessStability(
    const StyleDistance& distance, const RoutedSample& sample,
    HalfSamples& halves, const Execution& execution);

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_DIAGNOSTICS_H_
