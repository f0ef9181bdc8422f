#include "server/rpc/to_proto.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

using model_store::Manifest;
using routing::Method;

absl::string_view BasisName(routing::CoverageBasis basis) {
  switch (basis) {
    case routing::CoverageBasis::kCalibration:
      return "calibration";
    case routing::CoverageBasis::kNoDistances:
      return "the method measures no distances";
    case routing::CoverageBasis::kNotCalibrated:
      return "the bundle has no calibration";
    case routing::CoverageBasis::kSampleTooSmall:
      return "fewer samples than were calibrated";
  }
  return "";
}

v1::Coverage::Verdict VerdictToProto(routing::CoverageVerdict verdict) {
  switch (verdict) {
    case routing::CoverageVerdict::kUnknown:
      return v1::Coverage::UNKNOWN;
    case routing::CoverageVerdict::kIn:
      return v1::Coverage::IN;
    case routing::CoverageVerdict::kEdge:
      return v1::Coverage::EDGE;
    case routing::CoverageVerdict::kOut:
      return v1::Coverage::OUT;
  }
  return v1::Coverage::UNKNOWN;
}

void CoverageToProto(const routing::Coverage& coverage, v1::Coverage& proto) {
  proto.set_verdict(VerdictToProto(coverage.verdict));
  proto.set_basis(std::string(BasisName(coverage.basis)));
  proto.set_nearest_distance(coverage.nearest_distance);
  proto.set_in_threshold(coverage.in_threshold);
  proto.set_out_threshold(coverage.out_threshold);
  proto.set_rank(coverage.rank);
  proto.set_num_sources(coverage.num_sources);
}

void AppliedToProto(const AppliedFallback& fallback,
                    v1::AppliedFallback& proto) {
  proto.set_fallback(FallbackToProto(fallback.fallback));
  proto.set_reason(fallback.reason == FallbackReason::kTooFewSamples
                       ? v1::AppliedFallback::TOO_FEW_SAMPLES
                       : v1::AppliedFallback::OUT_OF_COVERAGE);
  proto.set_explanation(fallback.explanation);
}

void DurationToProto(absl::Duration duration,
                     google::protobuf::Duration& proto) {
  proto.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  proto.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(duration)));
}

void MatrixToProto(std::span<const float> values, size_t columns,
                   v1::Matrix& proto) {
  proto.set_columns(static_cast<uint32_t>(columns));
  proto.set_float32(values.data(), values.size_bytes());
}

void TimeToProto(absl::Time time, google::protobuf::Timestamp& proto) {
  const timespec parts = absl::ToTimespec(time);
  proto.set_seconds(parts.tv_sec);
  proto.set_nanos(static_cast<int32_t>(parts.tv_nsec));
}

}  // namespace

v1::Method MethodToProto(Method method) {
  switch (method) {
    case Method::kLadder:
      return v1::METHOD_LADDER;
    case Method::kNearest:
      return v1::METHOD_NEAREST;
    case Method::kUniform:
      return v1::METHOD_UNIFORM;
    case Method::kSampleGate:
      return v1::METHOD_SAMPLE_GATE;
    case Method::kSampleGateGroup:
      return v1::METHOD_SAMPLE_GATE_GROUP;
    case Method::kFixed:
      return v1::METHOD_FIXED;
  }
  return v1::METHOD_UNSPECIFIED;
}

v1::Fallback FallbackToProto(Fallback fallback) {
  switch (fallback) {
    case Fallback::kUnspecified:
      return v1::FALLBACK_UNSPECIFIED;
    case Fallback::kError:
      return v1::FALLBACK_ERROR;
    case Fallback::kUniform:
      return v1::FALLBACK_UNIFORM;
    case Fallback::kSampleGateGroup:
      return v1::FALLBACK_SAMPLE_GATE_GROUP;
    case Fallback::kSoften:
      return v1::FALLBACK_SOFTEN;
  }
  return v1::FALLBACK_UNSPECIFIED;
}

void RoutingToProto(const model_store::Model& model,
                    const RoutingAnswer& answer, const OutputOptions& outputs,
                    v1::Routing& proto) {
  const Manifest& manifest = model.manifest();
  const routing::Routing& routing = answer.routing;
  proto.set_model(manifest.model);
  proto.set_version(manifest.version);
  proto.set_sha256(model.sha256());
  proto.set_method(MethodToProto(routing.method));
  proto.set_has_distances(!routing.distances.empty());
  proto.set_per_sample(routing.per_sample);
  for (size_t e = 0; e < manifest.num_sources(); ++e) {
    v1::SourceWeight& source = *proto.add_sources();
    source.set_source(manifest.sources[e].name);
    source.set_weight(routing.weights[e]);
    if (proto.has_distances()) source.set_distance(routing.distances[e]);
  }
  proto.set_num_samples(routing.num_seen);
  proto.set_num_style_samples(routing.num_style);
  if (routing::UsesDistances(routing.method)) {
    proto.set_k(static_cast<uint32_t>(
        std::count_if(routing.weights.begin(), routing.weights.end(),
                      [](double weight) { return weight > 0; })));
    proto.set_tau(answer.applied.tau);
  }
  proto.set_effective_experts(routing.effective_experts);
  CoverageToProto(routing.coverage, *proto.mutable_coverage());
  if (routing.stability.has_value()) {
    v1::WeightStability& stability = *proto.mutable_stability();
    stability.set_mean_total_variation(routing.stability->mean_total_variation);
    stability.set_max_total_variation(routing.stability->max_total_variation);
    stability.set_half_samples(routing.stability->half_rows);
  }
  if (answer.expert_disagreement.has_value()) {
    proto.set_expert_disagreement(*answer.expert_disagreement);
  }
  if (answer.fallback.has_value()) {
    AppliedToProto(*answer.fallback, *proto.mutable_fallback());
  }
  for (size_t stage = 0; stage < kNumStages; ++stage) {
    if (answer.stages[stage] == absl::ZeroDuration()) continue;
    v1::StageTiming& timing = *proto.add_timings();
    timing.set_stage(std::string(StageName(static_cast<Stage>(stage))));
    DurationToProto(answer.stages[stage], *timing.mutable_duration());
  }
  if (outputs.class_names) {
    proto.mutable_classes()->Add(manifest.classes.begin(),
                                 manifest.classes.end());
  }
}

void RejectedToProto(RejectedSample rejected, v1::RejectedSample& proto) {
  proto.set_index(rejected.index);
  proto.set_id(std::move(rejected.id));
  proto.set_reason(std::move(rejected.reason));
  proto.set_message(ErrorText(rejected.message));
}

void PredictionsToProto(const model_store::Model& model, GroupPredictions rows,
                        v1::Predictions& proto) {
  const Manifest& manifest = model.manifest();
  const size_t num_rows = rows.indices.size();
  if (num_rows > 0) {
    proto.set_first_index(rows.indices.front());
    // They ascend, so that they count up if the last one says so.
    if (rows.indices.back() - rows.indices.front() != num_rows - 1) {
      proto.mutable_indices()->Add(rows.indices.begin(), rows.indices.end());
    }
  }
  for (std::string& id : rows.ids) proto.add_ids(std::move(id));
  proto.mutable_labels()->Add(rows.labels.begin(), rows.labels.end());
  if (!rows.probabilities.empty()) {
    MatrixToProto(rows.probabilities, manifest.num_classes(),
                  *proto.mutable_probabilities());
  }
  if (!rows.logits.empty()) {
    MatrixToProto(rows.logits, manifest.num_classes(), *proto.mutable_logits());
  }
  proto.mutable_top_classes()->Add(rows.top_classes.begin(),
                                   rows.top_classes.end());
  proto.mutable_top_probabilities()->Add(rows.top_probabilities.begin(),
                                         rows.top_probabilities.end());
  if (!rows.expert_probabilities.empty()) {
    MatrixToProto(rows.expert_probabilities, manifest.num_classes(),
                  *proto.mutable_expert_probabilities());
  }
  if (!rows.sample_weights.empty()) {
    MatrixToProto(rows.sample_weights, manifest.num_sources(),
                  *proto.mutable_sample_weights());
  }
  for (RejectedSample& rejected : rows.rejected) {
    RejectedToProto(std::move(rejected), *proto.add_rejected());
  }
}

void ModelStatusToProto(const model_store::ModelInfo& info,
                        v1::ModelStatus& proto) {
  proto.set_name(info.name);
  proto.set_policy(info.policy);
  proto.mutable_served()->Add(info.served.begin(), info.served.end());
  proto.set_default_version(info.default_version);
  proto.mutable_labels()->insert(info.labels.begin(), info.labels.end());
  proto.set_labels_message(base::ValidText(info.labels_status.message()));
  for (const model_store::VersionInfo& version : info.versions) {
    v1::VersionStatus& status = *proto.add_versions();
    status.set_version(version.version);
    status.set_state(std::string(VersionStateName(version.state)));
    TimeToProto(version.since, *status.mutable_since());
    status.set_message(base::ValidText(version.status.message()));
    status.set_sha256(version.sha256);
    DurationToProto(version.load_duration, *status.mutable_load_duration());
  }
}

void ModelToProto(const model_store::Model& model,
                  v1::GetModelResponse& proto) {
  const model_store::Manifest& manifest = model.manifest();
  proto.set_name(manifest.model);
  proto.set_version(manifest.version);
  proto.set_sha256(model.sha256());
  TimeToProto(manifest.created, *proto.mutable_created());
  proto.set_trainer_version(manifest.trainer_version);
  proto.mutable_classes()->Add(manifest.classes.begin(),
                               manifest.classes.end());
  for (const model_store::Source& source : manifest.sources) {
    v1::Source& to = *proto.add_sources();
    to.set_name(source.name);
    to.set_training_samples(source.training_samples);
    to.set_fingerprint_samples(source.fingerprint_samples);
  }
  proto.set_content_dimension(
      static_cast<uint32_t>(manifest.content_dimension));
  proto.set_style_dimension(static_cast<uint32_t>(manifest.style_dimension));
  const std::vector<int64_t> shape = model_store::SampleShape(manifest.input);
  proto.mutable_sample_shape()->Add(shape.begin(), shape.end());
  proto.set_takes_images(
      std::holds_alternative<model_store::ImageInput>(manifest.input));
  const model_store::RoutingDefaults& defaults = manifest.routing;
  v1::RoutingDefaults& routing = *proto.mutable_routing();
  routing.set_method(MethodToProto(defaults.method));
  routing.set_k(defaults.k == routing::kAllSources
                    ? 0
                    : static_cast<uint32_t>(defaults.k));
  routing.set_tau(defaults.tau);
  routing.set_blur(defaults.sinkhorn.blur);
  routing.set_scaling(defaults.sinkhorn.scaling);
  routing.set_max_style_samples(defaults.max_style_samples);
  routing.set_calibrated(!manifest.coverage.levels.empty());
  proto.set_max_batch(static_cast<uint32_t>(model.max_batch()));
  if (!manifest.source_distances.empty()) {
    const std::vector<float> distances(manifest.source_distances.begin(),
                                       manifest.source_distances.end());
    MatrixToProto(distances, manifest.num_sources(),
                  *proto.mutable_source_distances());
  }
}

}  // namespace ladder::server
