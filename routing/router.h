#ifndef LADDER_ROUTING_ROUTER_H_
#define LADDER_ROUTING_ROUTER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "routing/coverage.h"
#include "routing/diagnostics.h"
#include "routing/matrix_view.h"
#include "routing/style_distance.h"
#include "routing/weights.h"

namespace ladder::routing {

// All that is known about a target group. Each method needs its own part:
// kLadder and kNearest `style`, the gates `gate_logits`, the others neither.
struct GroupStyle {
  MatrixView style = {};        // Normalised, sample x dimension.
  MatrixView gate_logits = {};  // Sample x source, in the order of the sources.
  size_t num_seen = 0;          // Samples of the group; `style` may hold fewer.
  // Halves of `style`, lent by callers who ask several questions about a group;
  // null draws them anew for each question about stability.
  HalfSamples* halves = nullptr;
};

struct RoutingOptions {
  Method method = Method::kLadder;
  size_t k = 5;                 // Neighbours of kLadder, or kAllSources.
  double tau = 0.5;             // Temperature of kLadder.
  double gate_temperature = 1;  // Temperature of the gates.
  std::vector<double> fixed_weights = {};  // For kFixed: one per source.
  // The sources that may get weight, in any order; empty means all. Gates are
  // renormalised over them, and `k` becomes their number where that is smaller.
  std::vector<size_t> sources = {};
  std::optional<StabilityOptions> stability = {};  // None: not assessed.
};

// A group's weights and the reasons for them.
struct Routing {
  Method method = Method::kLadder;
  std::vector<double> weights;  // One per source; they sum to one.
  // True for kSampleGate, where every sample has weights of its own, see
  // Router::SampleWeights; `weights` is then their mean over the group.
  bool per_sample = false;
  // The distances to every source, those without a chance of weight included;
  // empty if the method measures none.
  std::vector<double> distances;
  double effective_experts = 0;  // EffectiveExperts(weights).
  // Judged by the nearest source that may get weight. It is calibrated on all
  // sources, so that leaving out the ones near the group moves it towards kOut.
  Coverage coverage;
  std::optional<WeightStability> stability;  // Methods with distances only.
  size_t num_seen = 0;
  size_t num_style = 0;  // Style vectors behind `distances`.
};

// True for the methods that need the distances to the sources.
bool UsesDistances(Method method);

// Turns what is known about a group into weights over the sources, by any of
// the methods. Callers hold one of these.
//
// Route answers one question. To answer several about one group (other methods,
// k, tau, sources), call Distances once and Decide for each; the answers are
// those of Route.
//
// Immutable, cheap to copy and thread-safe. No I/O, no clock.
class Router {
 public:
  // InvalidArgument if there is no distance or the calibration is not valid.
  // Without calibration every coverage is kUnknown.
  static absl::StatusOr<Router> Create(
      std::shared_ptr<const StyleDistance> distance,
      CoverageCalibration calibration = {});

  size_t num_sources() const { return distance_->num_sources(); }
  size_t dimension() const { return distance_->dimension(); }

  // InvalidArgument, naming the option, if no group could be routed with these
  // options. For callers that want to know before a group has arrived; Route
  // and Decide check too.
  absl::Status CheckOptions(const RoutingOptions& options) const;

  // InvalidArgument as CheckOptions, or if the group lacks what the method
  // needs or has it in another shape; Cancelled if `execution.stop` was
  // requested before the distances were there.
  absl::StatusOr<Routing> Route(const GroupStyle& group,
                                const RoutingOptions& options,
                                const Execution& execution) const;

  // The distances from `style` to all sources. Errors as
  // StyleDistance::Compute.
  absl::StatusOr<std::vector<double>> Distances(
      const MatrixView& style, const Execution& execution) const;

  // Route with the distances already known: what Distances gave for
  // `group.style`. Ignored, and may be empty, if the method uses none.
  absl::StatusOr<Routing> Decide(const GroupStyle& group,
                                 std::span<const double> distances,
                                 const RoutingOptions& options,
                                 const Execution& execution) const;

  // Writes the weights of every single sample, as kSampleGate means them, to
  // `weights` (sample x source). InvalidArgument if `gate_logits` is empty, not
  // finite or not num_sources() wide, if `weights` has another size, or if the
  // temperature or sources of `options` are refused.
  absl::Status SampleWeights(const MatrixView& gate_logits,
                             const RoutingOptions& options,
                             std::span<float> weights) const;

 private:
  Router(std::shared_ptr<const StyleDistance> distance,
         CoverageCalibration calibration);

  // Fills what rests on distances. `allowed` are the sources that may get
  // weight, ascending.
  absl::Status DecideByDistance(const GroupStyle& group,
                                std::span<const size_t> allowed,
                                std::span<const double> distances,
                                const RoutingOptions& options,
                                const Execution& execution,
                                Routing& routing) const;

  std::shared_ptr<const StyleDistance> distance_;
  CoverageCalibration calibration_;
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_ROUTER_H_
