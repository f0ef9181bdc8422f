#ifndef LADDER_ROUTING_STYLE_DISTANCE_H_
#define LADDER_ROUTING_STYLE_DISTANCE_H_

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"

namespace ladder::routing {

// Measures how far a target group's style lies from each source's.
//
// Implementations are immutable and thread-safe. They see normalised style
// vectors only and never learn whose they are.
class StyleDistance {
 public:
  virtual ~StyleDistance() = default;

  virtual size_t num_sources() const = 0;
  virtual size_t dimension() const = 0;

  // Writes the distance from `target` (n x dimension) to every source listed
  // in `sources` (indices below num_sources()) to `distances`, in that order.
  //
  // InvalidArgument if the target is empty, holds a NaN or infinity or has
  // another dimension, if an index is out of range or if the sizes of `sources`
  // and `distances` differ; Cancelled if `execution.stop` was requested, with
  // `distances` unspecified.
  absl::Status Compute(const MatrixView& target,
                       std::span<const size_t> sources,
                       std::span<double> distances,
                       const Execution& execution) const;

 private:
  // Compute with arguments that have been checked.
  virtual absl::Status DoCompute(const MatrixView& target,
                                 std::span<const size_t> sources,
                                 std::span<double> distances,
                                 const Execution& execution) const = 0;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_STYLE_DISTANCE_H_
