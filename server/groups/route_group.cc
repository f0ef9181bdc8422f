#include "server/groups/route_group.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/groups/predict_rows.h"

namespace ladder::server {
namespace {

using routing::Method;
using routing::Routing;
using routing::RoutingOptions;

// Enough for a mean over samples to be good to a few percent.
constexpr size_t kContentSamples = 256;

routing::StabilityOptions StabilityOf(const model_store::Model& model) {
  return {.seed = model.manifest().routing.seed};
}

bool IsGate(routing::Method method) {
  return method == routing::Method::kSampleGate ||
         method == routing::Method::kSampleGateGroup;
}

absl::StatusOr<Routing> Decide(const model_store::Model& model,
                               GroupEvidence& evidence,
                               const RoutingOptions& options,
                               const routing::Execution& execution) {
  routing::GroupStyle group = {.gate_logits = evidence.gates(),
                               .num_seen = evidence.num_seen()};
  std::span<const double> distances;
  if (routing::UsesDistances(options.method)) {
    LADDER_ASSIGN_OR_RETURN(const auto style, evidence.Measure(execution));
    group.style = style->normalized.view();
    group.halves = &evidence.halves();
    distances = style->distances;
  }
  return model.router().Decide(group, distances, options, execution);
}

// The rule that the question has for a group like this, if any.
std::optional<AppliedFallback> FindRule(const RouteQuestion& question,
                                        const GroupEvidence& evidence,
                                        const std::optional<Routing>& routing) {
  if (evidence.num_seen() < question.min_samples || evidence.num_seen() == 0) {
    const bool possible = question.fallback == Fallback::kUniform ||
                          (question.fallback != Fallback::kUnspecified &&
                           evidence.num_seen() > 0);
    return AppliedFallback{
        .fallback = possible ? question.fallback : Fallback::kError,
        .reason = FallbackReason::kTooFewSamples,
        .explanation = absl::StrCat("expected at least ",
                                    std::max<uint64_t>(question.min_samples, 1),
                                    " samples, got ", evidence.num_seen())};
  }
  if (routing.has_value() && question.fallback != Fallback::kUnspecified &&
      routing->coverage.verdict == routing::CoverageVerdict::kOut) {
    return AppliedFallback{.fallback = question.fallback,
                           .reason = FallbackReason::kOutOfCoverage,
                           .explanation = absl::StrCat(
                               "expected the nearest source within ",
                               routing->coverage.out_threshold, ", it is ",
                               routing->coverage.nearest_distance, " away")};
  }
  return std::nullopt;
}

RoutingOptions OptionsOf(const RouteQuestion& question, Fallback fallback) {
  RoutingOptions options = question.routing;
  switch (fallback) {
    case Fallback::kUniform:
      options.method = Method::kUniform;
      break;
    case Fallback::kSampleGateGroup:
      options.method = Method::kSampleGateGroup;
      break;
    case Fallback::kSoften:
      options.method = Method::kLadder;
      options.tau *= question.soften_factor;
      break;
    case Fallback::kUnspecified:
    case Fallback::kError:
      break;
  }
  return options;
}

}  // namespace

GroupEvidence::Needs GroupEvidence::NeedsOf(
    std::span<const RouteQuestion> questions) {
  Needs needs;
  for (const RouteQuestion& question : questions) {
    needs.style |= routing::UsesDistances(question.routing.method) ||
                   question.fallback == Fallback::kSoften;
    needs.gates |= IsGate(question.routing.method) ||
                   question.fallback == Fallback::kSampleGateGroup;
    needs.content |= question.diagnostics;
  }
  return needs;
}

GroupEvidence::GroupEvidence(const model_store::Model& model,
                             std::span<const RouteQuestion> questions)
    : model_(model),
      needs_(NeedsOf(questions)),
      style_(model_store::RowSample::OfStyle(model)),
      content_(model, kContentSamples, model.manifest().routing.seed) {}

absl::Status GroupEvidence::Add(const model_store::Encoding& rows,
                                const std::stop_token& stop) {
  if (needs_.style) {
    LADDER_RETURN_IF_ERROR(style_.Add(rows.z_s, stop));
  }
  if (needs_.content) {
    LADDER_RETURN_IF_ERROR(content_.Add(rows.z_c, stop));
  }
  if (needs_.gates) {
    const std::span<const float> gates = rows.gate.view().Values();
    gates_.insert(gates_.end(), gates.begin(), gates.end());
  }
  num_seen_ += rows.z_c.rows();
  measured_.reset();
  halves_.reset();
  opinions_.clear();
  return absl::OkStatus();
}

uint64_t GroupEvidence::Bytes(const model_store::Model& model,
                              std::span<const RouteQuestion> questions,
                              uint64_t num_rows) {
  const model_store::Manifest& manifest = model.manifest();
  const Needs needs = NeedsOf(questions);
  uint64_t floats = 0;
  if (needs.style) {
    // On the device, normalised, and while it is measured.
    floats += 3 * manifest.style_dimension *
              std::min<uint64_t>(num_rows, manifest.routing.max_style_samples);
  }
  if (needs.content) {
    // The codes, and what experts make of them.
    floats +=
        (manifest.content_dimension + kMostExperts * manifest.num_classes()) *
        std::min<uint64_t>(num_rows, kContentSamples);
  }
  if (needs.gates) floats += manifest.num_sources() * num_rows;
  return floats * sizeof(float);
}

absl::StatusOr<const model_store::MeasuredStyle*> GroupEvidence::Measure(
    const routing::Execution& execution) {
  if (!measured_.has_value()) {
    model_store::MeasuredStyle style;
    if (style_.rows().rows() > 0) {
      LADDER_ASSIGN_OR_RETURN(style,
                              model_.StyleDistances(style_.rows(), execution));
    }
    measured_ = std::move(style);
  }
  return &*measured_;
}

absl::Duration GroupEvidence::ExpectedWork() const {
  if (!needs_.style || measured_.has_value()) return absl::ZeroDuration();
  // Of one vector and one of a source's, in about thirty passes.
  constexpr absl::Duration kOnePair = absl::Nanoseconds(6);
  int64_t pairs = 0;
  for (const model_store::Source& source : model_.manifest().sources) {
    pairs +=
        static_cast<int64_t>(source.fingerprint_samples * style_.rows().rows());
  }
  return kOnePair * pairs;
}

routing::HalfSamples& GroupEvidence::halves() {
  if (!halves_.has_value()) {
    halves_.emplace(measured_->normalized.view(), StabilityOf(model_));
  }
  return *halves_;
}

absl::StatusOr<std::shared_ptr<const std::vector<float>>>
GroupEvidence::Opinion(size_t source, const std::stop_token& stop) {
  if (const auto known = opinions_.find(source); known != opinions_.end()) {
    return known->second;
  }
  LADDER_ASSIGN_OR_RETURN(std::vector<float> opinion,
                          ExpertProbabilities(model_, source, content(), stop));
  if (opinions_.size() >= kMostExperts) opinions_.erase(opinions_.begin());
  return opinions_[source] =
             std::make_shared<const std::vector<float>>(std::move(opinion));
}

routing::MatrixView GroupEvidence::gates() const {
  const size_t num_sources = model_.manifest().num_sources();
  return {gates_.data(), gates_.size() / num_sources, num_sources};
}

absl::string_view FallbackName(Fallback fallback) {
  switch (fallback) {
    case Fallback::kUnspecified:
      return "";
    case Fallback::kError:
      return "error";
    case Fallback::kUniform:
      return "uniform";
    case Fallback::kSampleGateGroup:
      return "sample_gate_group";
    case Fallback::kSoften:
      return "soften";
  }
  return "";
}

absl::string_view FallbackReasonName(FallbackReason reason) {
  return reason == FallbackReason::kTooFewSamples ? "too_few_samples"
                                                  : "out_of_coverage";
}

absl::StatusOr<RoutingAnswer> RouteGroup(const model_store::Model& model,
                                         GroupEvidence& evidence,
                                         const RouteQuestion& question,
                                         const routing::Execution& execution) {
  RoutingAnswer answer;
  answer.applied = question.routing;
  if (question.diagnostics) {
    answer.applied.stability = StabilityOf(model);
  }
  std::optional<Routing> asked;
  if (evidence.num_seen() > 0) {
    LADDER_ASSIGN_OR_RETURN(asked,
                            Decide(model, evidence, answer.applied, execution));
  }
  answer.fallback = FindRule(question, evidence, asked);
  if (!answer.fallback.has_value()) {
    answer.routing = *std::move(asked);
  } else if (answer.fallback->fallback == Fallback::kError) {
    return absl::FailedPreconditionError(answer.fallback->explanation);
  } else {
    answer.applied = OptionsOf(question, answer.fallback->fallback);
    LADDER_ASSIGN_OR_RETURN(answer.routing,
                            Decide(model, evidence, answer.applied, execution));
    if (asked.has_value()) {
      answer.routing.distances = std::move(asked->distances);
      answer.routing.coverage = asked->coverage;
      answer.routing.num_style = asked->num_style;
    }
  }
  if (question.diagnostics && evidence.content().rows() > 0) {
    LADDER_ASSIGN_OR_RETURN(
        answer.expert_disagreement,
        ExpertDisagreement(answer.routing.weights, evidence.content().rows(),
                           [&](size_t source) {
                             return evidence.Opinion(source, execution.stop);
                           }));
  }
  return answer;
}

}  // namespace ladder::server
