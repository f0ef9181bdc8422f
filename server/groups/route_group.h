#ifndef LADDER_SERVER_GROUPS_ROUTE_GROUP_H_
#define LADDER_SERVER_GROUPS_ROUTE_GROUP_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/engine/model.h"
#include "routing/execution.h"
#include "routing/router.h"
#include "server/groups/group_evidence.h"
#include "server/groups/group_options.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

enum class FallbackReason { kTooFewSamples, kOutOfCoverage };

// "too_few_samples" or "out_of_coverage".
absl::string_view FallbackReasonName(FallbackReason reason);

// A rule that fired: weights are those of `fallback`.
struct AppliedFallback {
  Fallback fallback = Fallback::kUniform;
  FallbackReason reason = FallbackReason::kTooFewSamples;
  std::string explanation = {};
};

struct RoutingAnswer {
  // Weights are of the method or, if a rule fired, of the fallback; distances
  // and coverage always of the method that was asked for.
  routing::Routing routing = {};
  // What the weights were made with, for the weights of single samples.
  routing::RoutingOptions applied = {};
  std::optional<AppliedFallback> fallback = {};
  // How far the experts with the largest weights differ, on a sample of the
  // group. See ExpertDisagreement in predict_rows.h.
  std::optional<double> expert_disagreement = {};
  // What the group has taken until then, by Stage; filled by Group.
  std::array<absl::Duration, kNumStages> stages = {};
};

// Answers `question` by what is known of the group. FailedPrecondition if there
// are too few samples, or the group is out of coverage, and that is to be an
// error; InvalidArgument if the question does not fit the model; otherwise
// errors as Model and Router.
absl::StatusOr<RoutingAnswer> RouteGroup(const model_store::Model& model,
                                         GroupEvidence& evidence,
                                         const RouteQuestion& question,
                                         const routing::Execution& execution);

// `status`, which is about the question at this place; and that place, of an
// error that is about one.
absl::Status AboutQuestion(absl::Status status, size_t place);
std::optional<size_t> FailedQuestion(const absl::Status& status);

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_ROUTE_GROUP_H_
