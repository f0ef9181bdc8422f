#ifndef LADDER_ROUTING_SELF_TERM_H_
#define LADDER_ROUTING_SELF_TERM_H_

#include <array>
#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "routing/epsilon_schedule.h"
#include "routing/packed_cloud.h"
#include "routing/sinkhorn_options.h"

namespace ladder::routing {

class SinkhornSolver;

// A cloud's Self term for every schedule at once, so that it is computed once
// per cloud and not once per pair.
//
// A self problem forgets how it began within a few steps, so its value depends
// on the schedule only through the phase of the last ones. It is kept at the
// Chebyshev nodes of the phase and interpolated by the polynomial through them
// (measured: off by at most 6e-9). Immutable and thread-safe.
class SelfTerm {
 public:
  static constexpr size_t kNumNodes = 5;

  // Computes the values at the nodes; `solver` lends its scratch space.
  static SelfTerm Compute(const PackedCloud& cloud,
                          const SinkhornOptions& options,
                          SinkhornSolver& solver);

  // Takes values computed before. InvalidArgument unless there are kNumNodes,
  // all finite.
  static absl::StatusOr<SelfTerm> FromValues(std::span<const double> values);

  // The schedule that values()[node] belongs to. All nodes' have the same
  // number of steps, the fewest with which Covers is content.
  static EpsilonSchedule NodeSchedule(size_t node,
                                      const SinkhornOptions& options);

  // True if `schedule` is long enough for its beginning to be forgotten. If
  // not, the term has to be computed for that very schedule.
  static bool Covers(const EpsilonSchedule& schedule,
                     const SinkhornOptions& options);

  // Expects Covers(schedule).
  double At(const EpsilonSchedule& schedule) const;

  std::span<const double> values() const { return values_; }

 private:
  std::array<double, kNumNodes> values_ = {};
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_SELF_TERM_H_
