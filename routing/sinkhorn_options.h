#ifndef LADDER_ROUTING_SINKHORN_OPTIONS_H_
#define LADDER_ROUTING_SINKHORN_OPTIONS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::routing {

// A Sinkhorn divergence depends on these beside its clouds. They lie apart from
// the solver, because all who read a manifest need them and few the solver.
struct SinkhornOptions {
  double blur = 0.05;    // The final temperature, in units of distance.
  double scaling = 0.8;  // From one temperature to the next, in (0, 1).

  absl::Status Validate() const;

  // Wider clouds are refused: float costs that large say nothing about the
  // scale of the blur, and their kernels overflow in pass after pass. Far more
  // than any group needs, even one that leaves a column which was constant
  // among the sources and so is normalised by 1e-6.
  double MaxDiameter() const { return 1e9 * blur; }
  // InvalidArgument if `diameter` exceeds it; the message begins with `what`
  // and the index of the source.
  absl::Status CheckDiameter(double diameter, absl::string_view what,
                             size_t source) const;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_SINKHORN_OPTIONS_H_
