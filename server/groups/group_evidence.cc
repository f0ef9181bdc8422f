#include "server/groups/group_evidence.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace ladder::server {
namespace {

// Enough for a mean over samples to be good to a few percent.
constexpr size_t kContentSamples = 256;

bool IsGate(routing::Method method) {
  return method == routing::Method::kSampleGate ||
         method == routing::Method::kSampleGateGroup;
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
    floats += manifest.content_dimension *
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

routing::MatrixView GroupEvidence::gates() const {
  const size_t num_sources = model_.manifest().num_sources();
  return {gates_.data(), gates_.size() / num_sources, num_sources};
}

}  // namespace ladder::server
