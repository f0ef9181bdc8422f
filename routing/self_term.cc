#include "routing/self_term.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "routing/sinkhorn.h"

namespace ladder::routing {
namespace {

// A run that starts this far above the blur ends within 2e-10 of one that
// starts at any higher temperature.
constexpr double kForgottenAboveBlur = 35;

size_t StepsToForget(const SinkhornOptions& options) {
  return static_cast<size_t>(
      std::ceil(std::log(kForgottenAboveBlur) / -std::log(options.scaling)));
}

double NodeAngle(size_t node) {
  return (static_cast<double>(node) + 0.5) * std::numbers::pi /
         static_cast<double>(SelfTerm::kNumNodes);
}

// Chebyshev nodes of the first kind in (0, 1).
double NodePhase(size_t node) { return 0.5 - 0.5 * std::cos(NodeAngle(node)); }

}  // namespace

SelfTerm SelfTerm::Compute(const PackedCloud& cloud,
                           const SinkhornOptions& options,
                           SinkhornSolver& solver) {
  SelfTerm term;
  solver.PrepareSelf(cloud);
  for (size_t node = 0; node < kNumNodes; ++node) {
    term.values_[node] = solver.Self(NodeSchedule(node, options));
  }
  return term;
}

EpsilonSchedule SelfTerm::NodeSchedule(size_t node,
                                       const SinkhornOptions& options) {
  return EpsilonSchedule::WithPhase(NodePhase(node), StepsToForget(options),
                                    options.blur, options.scaling);
}

absl::StatusOr<SelfTerm> SelfTerm::FromValues(std::span<const double> values) {
  if (values.size() != kNumNodes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "self term: expected ", kNumNodes, " values, got ", values.size()));
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("self term: expected finite values, got ", value));
    }
  }
  SelfTerm term;
  std::copy(values.begin(), values.end(), term.values_.begin());
  return term;
}

bool SelfTerm::Covers(const EpsilonSchedule& schedule,
                      const SinkhornOptions& options) {
  return schedule.num_scaled_steps() >= StepsToForget(options);
}

double SelfTerm::At(const EpsilonSchedule& schedule) const {
  // The barycentric form of the interpolating polynomial.
  const double phase = schedule.Phase();
  double numerator = 0;
  double denominator = 0;
  for (size_t node = 0; node < kNumNodes; ++node) {
    const double distance = phase - NodePhase(node);
    if (distance == 0) return values_[node];
    const double sign = node % 2 == 0 ? 1 : -1;
    const double weight = sign * std::sin(NodeAngle(node)) / distance;
    numerator += weight * values_[node];
    denominator += weight;
  }
  return numerator / denominator;
}

}  // namespace ladder::routing
