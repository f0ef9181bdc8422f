#include "server/rpc/from_proto.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "model_store/format/manifest.h"
#include "server/rpc/to_proto.h"

namespace ladder::server {
namespace {

using model_store::Manifest;
using routing::Method;

absl::StatusOr<Method> MethodFromProto(v1::Method proto,
                                       const Manifest& manifest) {
  if (proto == v1::METHOD_UNSPECIFIED) return manifest.routing.method;
  for (const Method method :
       {Method::kLadder, Method::kNearest, Method::kUniform,
        Method::kSampleGate, Method::kSampleGateGroup, Method::kFixed}) {
    if (MethodToProto(method) == proto) return method;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "method: expected one of the protocol's, got ", static_cast<int>(proto)));
}

absl::StatusOr<Fallback> FallbackFromProto(v1::Fallback proto) {
  for (const Fallback fallback : kAllFallbacks) {
    if (FallbackToProto(fallback) == proto) return fallback;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("fallback: expected one of the protocol's, got ",
                   static_cast<int>(proto)));
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

// RouteQuestion and GroupOptions ask for a routing by the same fields.
template <typename Asked>
absl::StatusOr<RouteQuestion> MakeQuestion(const Asked& asked,
                                           const model_store::Model& model) {
  const Manifest& manifest = model.manifest();
  const v1::RoutingOptions& proto = asked.routing();
  RouteQuestion question;
  const auto method = MethodFromProto(proto.method(), manifest);
  if (!method.ok()) return base::AtPlace("routing", method.status());
  auto fixed = FixedFromProto(proto, *method, manifest);
  if (!fixed.ok()) return base::AtPlace("routing", fixed.status());
  auto sources = SourcesFromProto(proto, manifest);
  if (!sources.ok()) return base::AtPlace("routing", sources.status());
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
  LADDER_ASSIGN_OR_RETURN(question.fallback,
                          FallbackFromProto(asked.fallback()));
  question.min_samples = asked.min_samples();
  question.diagnostics = !proto.skip_diagnostics();
  if (asked.has_soften_factor()) {
    question.soften_factor = asked.soften_factor();
    if (!std::isfinite(question.soften_factor) || question.soften_factor < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "soften_factor: expected at least 1, got ", question.soften_factor));
    }
  }
  LADDER_RETURN_IF_ERROR(
      base::AtPlace("routing", model.router().CheckOptions(question.routing)));
  return question;
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
  const uint64_t row_bytes = SampleSize(manifest) * sizeof(float);
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

absl::StatusOr<std::string> OnlyModel(const model_store::ModelStore& store) {
  std::vector<std::string> served;
  for (const model_store::ModelInfo& model : store.List().models) {
    if (!model.served.empty()) served.push_back(model.name);
  }
  if (served.size() == 1) return served.front();
  if (served.empty()) {
    return absl::UnavailableError("expected a model to be served, none is");
  }
  return absl::InvalidArgumentError(absl::StrCat("model.name: expected one of ",
                                                 absl::StrJoin(served, ", "),
                                                 ", got none"));
}

}  // namespace

absl::Status CheckNameLength(absl::string_view what, absl::string_view name,
                             const LimitsConfig& limits) {
  if (name.size() <= limits.max_name_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      LimitsConfig::kMaxNameBytesFlag, ": expected ", what, " of at most ",
      limits.max_name_bytes, " bytes, got one of ", name.size()));
}

absl::StatusOr<RouteQuestion> QuestionFromProto(
    const v1::RouteQuestion& proto, const model_store::Model& model) {
  return MakeQuestion(proto, model);
}

absl::StatusOr<GroupOptions> GroupOptionsFromProto(
    const v1::GroupOptions& proto, const model_store::Model& model) {
  LADDER_ASSIGN_OR_RETURN(RouteQuestion question, MakeQuestion(proto, model));
  const size_t num_classes = model.manifest().num_classes();
  if (proto.outputs().top_n() > num_classes) {
    return absl::InvalidArgumentError(
        absl::StrCat("outputs.top_n: expected at most ", num_classes,
                     ", the number of classes, got ", proto.outputs().top_n()));
  }
  // Weights are fixed by the first route_after samples, and these would always
  // be too few.
  if (proto.route_after() > 0 && proto.route_after() < question.min_samples) {
    return absl::InvalidArgumentError(
        absl::StrCat("route_after: expected 0 or at least min_samples, ",
                     question.min_samples, ", got ", proto.route_after()));
  }
  return GroupOptions{
      .questions = {std::move(question)},
      .outputs = {.top_n = proto.outputs().top_n(),
                  .probabilities = proto.outputs().probabilities(),
                  .logits = proto.outputs().logits(),
                  .expert_probabilities =
                      proto.outputs().expert_probabilities(),
                  .class_names = proto.outputs().class_names()},
      .route_after = proto.route_after(),
      .fail_on_bad_sample = proto.fail_on_bad_sample()};
}

absl::StatusOr<SampleChunk> ChunkFromProto(const v1::Samples& samples,
                                           const model_store::Model& model,
                                           const LimitsConfig& limits,
                                           std::shared_ptr<const void> owner) {
  SampleChunk chunk;
  if (samples.has_tensor()) {
    LADDER_ASSIGN_OR_RETURN(chunk,
                            ChunkOfTensor(samples.tensor(), model.manifest()));
  } else {
    for (const std::string& image : samples.images().images()) {
      chunk.images.push_back(std::as_bytes(std::span(image)));
    }
    chunk.num_samples = chunk.images.size();
  }
  // Checked before they are copied, since there may be very many.
  const auto num_ids = static_cast<size_t>(samples.ids_size());
  if (num_ids != 0 && num_ids != chunk.num_samples) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids: expected none or ", chunk.num_samples,
                     ", one for each sample, got ", num_ids));
  }
  for (const std::string& id : samples.ids()) {
    LADDER_RETURN_IF_ERROR(CheckNameLength("ids", id, limits));
    chunk.ids.push_back(id);
  }
  chunk.owner = std::move(owner);
  return chunk;
}

absl::StatusOr<model_store::ModelHandle> ResolveModel(
    const model_store::ModelStore& store, const v1::ModelRef& ref) {
  std::string name = ref.name();
  if (name.empty()) {
    LADDER_ASSIGN_OR_RETURN(name, OnlyModel(store));
  }
  LADDER_RETURN_IF_ERROR(model_store::CheckModelName(name));
  switch (ref.choice_case()) {
    case v1::ModelRef::kVersion:
      return store.GetVersion(name, ref.version());
    case v1::ModelRef::kLabel:
      return store.GetLabelled(name, ref.label());
    case v1::ModelRef::CHOICE_NOT_SET:
      break;
  }
  return store.Get(name);
}

absl::StatusOr<model_store::ModelHandle> PinnedModels::Get(
    const v1::ModelRef& ref) {
  // Not the message's bytes, of which callers can make as many as they like.
  const std::string key = absl::StrCat(ref.name(), "/", ref.choice_case(), "/",
                                       ref.version(), "/", ref.label());
  if (const auto found = models_.find(key); found != models_.end()) {
    return found->second;
  }
  absl::StatusOr<model_store::ModelHandle> model = ResolveModel(store_, ref);
  if (model.ok()) models_.emplace(key, *model);
  return model;
}

}  // namespace ladder::server
