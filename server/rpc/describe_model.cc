#include "server/rpc/describe_model.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "server/rpc/convert.h"

namespace ladder::server {
namespace {

void TimeToProto(absl::Time time, google::protobuf::Timestamp& proto) {
  const timespec parts = absl::ToTimespec(time);
  proto.set_seconds(parts.tv_sec);
  proto.set_nanos(static_cast<int32_t>(parts.tv_nsec));
}

}  // namespace

void ModelStatusToProto(const model_store::ModelInfo& info,
                        v1::ModelStatus& proto) {
  proto.set_name(info.name);
  proto.set_policy(info.policy);
  proto.mutable_served()->Add(info.served.begin(), info.served.end());
  proto.mutable_labels()->insert(info.labels.begin(), info.labels.end());
  for (const model_store::VersionInfo& version : info.versions) {
    v1::VersionStatus& status = *proto.add_versions();
    status.set_version(version.version);
    status.set_state(std::string(VersionStateName(version.state)));
    TimeToProto(version.since, *status.mutable_since());
    status.set_message(std::string(version.status.message()));
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
