#ifndef LADDER_SERVER_GROUPS_ROUTE_GROUP_H_
#define LADDER_SERVER_GROUPS_ROUTE_GROUP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model_store/engine/model.h"
#include "model_store/engine/row_sample.h"
#include "routing/diagnostics.h"
#include "routing/execution.h"
#include "routing/matrix_view.h"
#include "routing/router.h"
#include "server/groups/group_options.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// What is remembered of a group's samples in order to answer questions about
// it, and no more than they need.
//
// `model` must outlive it. One user at a time.
class GroupEvidence {
 public:
  GroupEvidence(const model_store::Model& model,
                std::span<const RouteQuestion> questions);

  // Takes the next samples of the group into account. Errors as
  // Model::SelectRows.
  absl::Status Add(const model_store::Encoding& rows,
                   const std::stop_token& stop);

  uint64_t num_seen() const { return num_seen_; }

  // Bytes held once `num_rows` samples have been added.
  static uint64_t Bytes(const model_store::Model& model,
                        std::span<const RouteQuestion> questions,
                        uint64_t num_rows);

  // The style vectors, measured once. Empty if no question needs them or there
  // are no samples. Errors as Model::StyleDistances.
  absl::StatusOr<const model_store::MeasuredStyle*> Measure(
      const routing::Execution& execution);

  // How long that takes on one processor, roughly; zero once it was done.
  absl::Duration ExpectedWork() const;

  // Halves of those vectors, for questions about stability. Expects that they
  // were measured.
  routing::HalfSamples& halves();

  // What the expert of `source` makes of content(). Remembered, since many
  // questions may ask for it. Errors as ExpertProbabilities.
  absl::StatusOr<std::shared_ptr<const std::vector<float>>> Opinion(
      size_t source, const std::stop_token& stop);

  // The gate logits of all samples; empty if no question needs them.
  routing::MatrixView gates() const;

  // A uniform sample of the content codes; empty if no question needs them.
  const model_store::Tensor& content() const { return content_.rows(); }

 private:
  struct Needs {
    bool style = false;
    bool gates = false;
    bool content = false;
  };

  static Needs NeedsOf(std::span<const RouteQuestion> questions);

  const model_store::Model& model_;
  const Needs needs_;
  uint64_t num_seen_ = 0;
  model_store::RowSample style_;
  model_store::RowSample content_;
  std::vector<float> gates_;
  std::optional<model_store::MeasuredStyle> measured_;
  std::optional<routing::HalfSamples> halves_;
  std::map<size_t, std::shared_ptr<const std::vector<float>>> opinions_;
};

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

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_ROUTE_GROUP_H_
