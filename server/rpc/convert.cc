#include "server/rpc/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/config/server_config.h"

namespace ladder::server {
namespace {

using model_store::Manifest;
using routing::Method;

absl::Status AboutRouting(const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("routing: ", status.message()));
}

absl::StatusOr<Method> MethodFromProto(v1::Method method,
                                       const Manifest& manifest) {
  switch (method) {
    case v1::METHOD_UNSPECIFIED:
      return manifest.routing.method;
    case v1::METHOD_LADDER:
      return Method::kLadder;
    case v1::METHOD_NEAREST:
      return Method::kNearest;
    case v1::METHOD_UNIFORM:
      return Method::kUniform;
    case v1::METHOD_SAMPLE_GATE:
      return Method::kSampleGate;
    case v1::METHOD_SAMPLE_GATE_GROUP:
      return Method::kSampleGateGroup;
    case v1::METHOD_FIXED:
      return Method::kFixed;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("method: expected one of the protocol's, got ",
                       static_cast<int>(method)));
  }
}

absl::StatusOr<Fallback> FallbackFromProto(v1::Fallback fallback) {
  switch (fallback) {
    case v1::FALLBACK_UNSPECIFIED:
      return Fallback::kUnspecified;
    case v1::FALLBACK_ERROR:
      return Fallback::kError;
    case v1::FALLBACK_UNIFORM:
      return Fallback::kUniform;
    case v1::FALLBACK_SAMPLE_GATE_GROUP:
      return Fallback::kSampleGateGroup;
    case v1::FALLBACK_SOFTEN:
      return Fallback::kSoften;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("fallback: expected one of the protocol's, got ",
                       static_cast<int>(fallback)));
  }
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

std::vector<std::string> SourceNames(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const model_store::Source& source : manifest.sources) {
    names.push_back(source.name);
  }
  return names;
}

absl::StatusOr<std::vector<double>> FixedFromProto(
    const v1::RoutingOptions& proto, Method method, const Manifest& manifest) {
  if (proto.fixed_by_source().empty() && proto.fixed().empty()) {
    return std::vector<double>();
  }
  if (method != Method::kFixed) {
    return absl::InvalidArgumentError(
        absl::StrCat("fixed: expected with method fixed only, got it with ",
                     routing::MethodName(method)));
  }
  if (proto.fixed_by_source().empty()) {
    return std::vector<double>(proto.fixed().begin(), proto.fixed().end());
  }
  if (!proto.fixed().empty()) {
    return absl::InvalidArgumentError(
        "expected fixed or fixed_by_source, got both");
  }
  std::vector<routing::NamedWeight> named;
  for (const auto& [source, weight] : proto.fixed_by_source()) {
    named.push_back({source, weight});
  }
  return routing::NamedWeights(named, SourceNames(manifest));
}

absl::StatusOr<std::vector<size_t>> SourcesFromProto(
    const v1::RoutingOptions& proto, const Manifest& manifest) {
  const std::vector<std::string> names = SourceNames(manifest);
  std::vector<size_t> sources;
  for (const std::string& name : proto.sources()) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "sources: expected names of sources, got \"", name, "\""));
    }
    sources.push_back(static_cast<size_t>(std::distance(names.begin(), at)));
  }
  return sources;
}

absl::StatusOr<SampleChunk> ChunkOfTensor(const v1::Tensor& tensor,
                                          const Manifest& manifest) {
  const std::vector<int64_t> expected =
      model_store::SampleShape(manifest.input);
  const auto& shape = tensor.shape();
  const bool fits =
      shape.size() == static_cast<int>(expected.size()) + 1 && shape[0] >= 0 &&
      std::equal(expected.begin(), expected.end(), shape.begin() + 1);
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor.shape: expected [n, ", absl::StrJoin(expected, ", "),
        "], got [", absl::StrJoin(shape, ", "), "]"));
  }
  const auto row_bytes =
      static_cast<uint64_t>(std::accumulate(expected.begin(), expected.end(),
                                            int64_t{1}, std::multiplies<>())) *
      sizeof(float);
  const auto num_rows = static_cast<uint64_t>(shape[0]);
  // Division, since the product may not fit.
  if (tensor.float32().size() % row_bytes != 0 ||
      tensor.float32().size() / row_bytes != num_rows) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor.float32: expected ", num_rows, " samples of ", row_bytes,
        " bytes, got ", tensor.float32().size(), " bytes"));
  }
  return SampleChunk{
      .num_samples = num_rows,
      // Protobuf's strings are aligned as the allocator aligns.
      .x = {reinterpret_cast<const float*>(tensor.float32().data()),
            tensor.float32().size() / sizeof(float)}};
}

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

void FallbackToProto(const AppliedFallback& fallback,
                     v1::AppliedFallback& proto) {
  proto.set_fallback(FallbackToProto(fallback.fallback));
  proto.set_reason(fallback.reason == FallbackReason::kTooFewSamples
                       ? v1::AppliedFallback::TOO_FEW_SAMPLES
                       : v1::AppliedFallback::OUT_OF_COVERAGE);
  proto.set_explanation(fallback.explanation);
}

}  // namespace

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

absl::StatusOr<RouteQuestion> QuestionFromProto(
    const v1::RoutingOptions& proto, uint64_t min_samples,
    v1::Fallback fallback, std::optional<double> soften_factor,
    const model_store::Model& model) {
  const Manifest& manifest = model.manifest();
  RouteQuestion question;
  const auto method = MethodFromProto(proto.method(), manifest);
  if (!method.ok()) return AboutRouting(method.status());
  auto fixed = FixedFromProto(proto, *method, manifest);
  if (!fixed.ok()) return AboutRouting(fixed.status());
  auto sources = SourcesFromProto(proto, manifest);
  if (!sources.ok()) return AboutRouting(sources.status());
  question.routing = {
      .method = *method,
      .k = proto.has_k()         ? proto.k()
           : proto.all_sources() ? routing::kAllSources
                                 : manifest.routing.k,
      .tau = proto.has_tau() ? proto.tau() : manifest.routing.tau,
      .fixed_weights = *std::move(fixed),
      .sources = *std::move(sources)};
  if (proto.has_gate_temperature()) {
    question.routing.gate_temperature = proto.gate_temperature();
  }
  const auto rule = FallbackFromProto(fallback);
  if (!rule.ok()) return rule.status();
  question.fallback = *rule;
  question.min_samples = min_samples;
  question.diagnostics = !proto.skip_diagnostics();
  if (soften_factor.has_value()) {
    if (!std::isfinite(*soften_factor) || *soften_factor < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "soften_factor: expected at least 1, got ", *soften_factor));
    }
    question.soften_factor = *soften_factor;
  }
  absl::Status status = model.router().CheckOptions(question.routing);
  if (!status.ok()) return AboutRouting(status);
  return question;
}

absl::StatusOr<GroupOptions> GroupOptionsFromProto(
    const v1::GroupOptions& proto, const model_store::Model& model) {
  absl::StatusOr<RouteQuestion> question = QuestionFromProto(
      proto.routing(), proto.min_samples(), proto.fallback(),
      proto.has_soften_factor() ? std::optional(proto.soften_factor())
                                : std::nullopt,
      model);
  if (!question.ok()) return question.status();
  const size_t num_classes = model.manifest().num_classes();
  if (proto.outputs().top_n() > num_classes) {
    return absl::InvalidArgumentError(
        absl::StrCat("outputs.top_n: expected at most ", num_classes,
                     ", the number of classes, got ", proto.outputs().top_n()));
  }
  return GroupOptions{
      .questions = {*std::move(question)},
      .outputs = {.top_n = proto.outputs().top_n(),
                  .probabilities = proto.outputs().probabilities(),
                  .logits = proto.outputs().logits(),
                  .expert_probabilities =
                      proto.outputs().expert_probabilities()},
      .route_after = proto.route_after(),
      .fail_on_bad_sample = proto.fail_on_bad_sample()};
}

absl::StatusOr<SampleChunk> ChunkFromProto(const v1::Samples& samples,
                                           const model_store::Model& model,
                                           uint64_t max_id_bytes,
                                           std::shared_ptr<const void> owner) {
  absl::StatusOr<SampleChunk> chunk = SampleChunk{};
  if (samples.has_tensor()) {
    chunk = ChunkOfTensor(samples.tensor(), model.manifest());
    if (!chunk.ok()) return chunk.status();
  } else {
    for (const std::string& image : samples.images().images()) {
      chunk->images.push_back(std::as_bytes(std::span(image)));
    }
    chunk->num_samples = chunk->images.size();
  }
  // Before they are copied: there may be very many.
  const auto num_ids = static_cast<size_t>(samples.ids_size());
  if (num_ids != 0 && num_ids != chunk->num_samples) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids: expected none or ", chunk->num_samples,
                     ", one for each sample, got ", num_ids));
  }
  for (const std::string& id : samples.ids()) {
    if (id.size() > max_id_bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          LimitsConfig::kMaxNameBytesFlag, ": expected ids of at most ",
          max_id_bytes, " bytes, got one of ", id.size()));
    }
    chunk->ids.push_back(id);
  }
  chunk->owner = std::move(owner);
  return chunk;
}

void RoutingToProto(const model_store::Model& model,
                    const RoutingAnswer& answer, v1::Routing& proto) {
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
    FallbackToProto(*answer.fallback, *proto.mutable_fallback());
  }
  for (size_t stage = 0; stage < kNumStages; ++stage) {
    if (answer.stages[stage] == absl::ZeroDuration()) continue;
    v1::StageTiming& timing = *proto.add_timings();
    timing.set_stage(std::string(StageName(static_cast<Stage>(stage))));
    DurationToProto(answer.stages[stage], *timing.mutable_duration());
  }
}

void RejectedToProto(RejectedSample rejected, v1::RejectedSample& proto) {
  proto.set_index(rejected.index);
  proto.set_id(std::move(rejected.id));
  proto.set_reason(std::move(rejected.reason));
  proto.set_message(std::move(rejected.message));
}

void PredictionsToProto(const model_store::Model& model, PredictionRows rows,
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
  for (RejectedSample& rejected : rows.rejected) {
    RejectedToProto(std::move(rejected), *proto.add_rejected());
  }
}

}  // namespace ladder::server
