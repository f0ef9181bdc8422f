#include "server/inference/inference_service.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/version.h"
#include "inference/grpc_service.grpc.pb.h"
#include "model_store/format/manifest.h"
#include "server/inference/infer_call.h"
#include "server/inference/model_description.h"

namespace ladder::server {
namespace {

using model_store::VersionState;

// Triton's words for a version's state.
absl::string_view StateName(VersionState state) {
  switch (state) {
    case VersionState::kServing:
      return "READY";
    case VersionState::kLoading:
      return "LOADING";
    case VersionState::kDraining:
      return "UNLOADING";
    case VersionState::kDiscovered:
    case VersionState::kUnloaded:
    case VersionState::kFailed:
      return "UNAVAILABLE";
  }
  return "UNKNOWN";
}

absl::Status CheckRepository(const std::string& repository) {
  if (repository.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("repository_name: expected none, there is one store, got \"",
                   repository, "\""));
}

// Triton's parameters can bring a configuration and files along; these
// bundles are what they are.
template <typename Request>
absl::Status CheckControl(const Request& request) {
  LADDER_RETURN_IF_ERROR(CheckRepository(request.repository_name()));
  for (const auto& [name, value] : request.parameters()) {
    if (name != "unload_dependents") {
      return absl::InvalidArgumentError(
          absl::StrCat("parameters: expected none, got \"", name, "\""));
    }
  }
  return model_store::CheckModelName(request.model_name());
}

// Methods are given bytes; see ParseMessage.
namespace raw_methods {
using Oip = inference::GRPCInferenceService;
using OfTheServer = Oip::WithRawCallbackMethod_ServerLive<
    Oip::WithRawCallbackMethod_ServerReady<
        Oip::WithRawCallbackMethod_ServerMetadata<Oip::Service>>>;
using OfModels = Oip::WithRawCallbackMethod_ModelReady<
    Oip::WithRawCallbackMethod_ModelMetadata<
        Oip::WithRawCallbackMethod_ModelConfig<
            Oip::WithRawCallbackMethod_ModelStatistics<OfTheServer>>>>;
using OfTheRepository = Oip::WithRawCallbackMethod_RepositoryIndex<
    Oip::WithRawCallbackMethod_RepositoryModelLoad<
        Oip::WithRawCallbackMethod_RepositoryModelUnload<OfModels>>>;
using All = Oip::WithRawCallbackMethod_ModelInfer<
    Oip::WithRawCallbackMethod_ModelStreamInfer<OfTheRepository>>;
}  // namespace raw_methods

class InferenceService final : public raw_methods::All {
 public:
  InferenceService(const InferenceServices& services, ControlQueue& control,
                   const ServerConfig& config)
      : services_(services.rpc),
        statistics_(services.statistics),
        control_(control),
        config_(config) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;
  using Unary = grpc::ServerUnaryReactor;

  Unary* ServerLive(Context* context, const Bytes* input,
                    Bytes* output) override {
    return AnswerNow<inference::ServerLiveRequest,
                     inference::ServerLiveResponse>(
        services_, "ServerLive", *context, {input, output},
        [&](const auto&, auto& response) {
          response.set_live(true);
          return absl::OkStatus();
        },
        WhenStopping::kAnswer);
  }

  Unary* ServerReady(Context* context, const Bytes* input,
                     Bytes* output) override {
    return AnswerNow<inference::ServerReadyRequest,
                     inference::ServerReadyResponse>(
        services_, "ServerReady", *context, {input, output},
        [&](const auto&, auto& response) {
          response.set_ready(services_.check_ready().ok());
          return absl::OkStatus();
        },
        WhenStopping::kAnswer);
  }

  Unary* ServerMetadata(Context* context, const Bytes* input,
                        Bytes* output) override {
    return AnswerNow<inference::ServerMetadataRequest,
                     inference::ServerMetadataResponse>(
        services_, "ServerMetadata", *context, {input, output},
        [&](const auto&, auto& response) {
          response.set_name("ladder");
          response.set_version(base::kVersion);
          for (const char* extension : {"classification", "model_configuration",
                                        "model_repository", "statistics"}) {
            response.add_extensions(extension);
          }
          return absl::OkStatus();
        });
  }

  Unary* ModelReady(Context* context, const Bytes* input,
                    Bytes* output) override {
    return AnswerNow<inference::ModelReadyRequest,
                     inference::ModelReadyResponse>(
        services_, "ModelReady", *context, {input, output},
        [&](const auto& request, auto& response) -> absl::Status {
          const auto model =
              FindModel(services_.store, request.name(), request.version());
          response.set_ready(model.ok());
          return absl::IsInvalidArgument(model.status()) ? model.status()
                                                         : absl::OkStatus();
        });
  }

  absl::StatusOr<ModelDescription> Describe(const std::string& name,
                                            const std::string& version) const {
    LADDER_ASSIGN_OR_RETURN(const auto model,
                            FindModel(services_.store, name, version));
    LADDER_ASSIGN_OR_RETURN(const auto info, services_.store.Describe(name));
    ModelDescription description = {
        .name = name,
        .versions = info.served,
        .signature = SignatureOf(*model, services_.limits),
        .max_batch_delay = config_.batching.max_queue_delay,
        .instances = static_cast<int32_t>(config_.engine.instances)};
    for (const size_t size : MakeEngineOptions(config_.engine).batch_sizes) {
      description.batch_sizes.push_back(static_cast<int32_t>(size));
    }
    return description;
  }

  Unary* ModelMetadata(Context* context, const Bytes* input,
                       Bytes* output) override {
    return AnswerNow<inference::ModelMetadataRequest,
                     inference::ModelMetadataResponse>(
        services_, "ModelMetadata", *context, {input, output},
        [&](const auto& request, auto& response) -> absl::Status {
          LADDER_ASSIGN_OR_RETURN(const auto model,
                                  Describe(request.name(), request.version()));
          response = DescribeMetadata(model);
          return absl::OkStatus();
        });
  }

  Unary* ModelConfig(Context* context, const Bytes* input,
                     Bytes* output) override {
    return AnswerNow<inference::ModelConfigRequest,
                     inference::ModelConfigResponse>(
        services_, "ModelConfig", *context, {input, output},
        [&](const auto& request, auto& response) -> absl::Status {
          LADDER_ASSIGN_OR_RETURN(const auto model,
                                  Describe(request.name(), request.version()));
          response = DescribeConfig(model);
          return absl::OkStatus();
        });
  }

  absl::Status AddStatistics(const std::string& name,
                             const std::string& version,
                             inference::ModelStatisticsResponse& response) {
    LADDER_ASSIGN_OR_RETURN(const auto model,
                            FindModel(services_.store, name, version));
    const model_store::Manifest& manifest = model->manifest();
    inference::ModelStatistics& statistics = *response.add_model_stats();
    statistics = statistics_.Of(manifest.model, manifest.version).ToProto();
    statistics.set_name(manifest.model);
    statistics.set_version(absl::StrCat(manifest.version));
    return absl::OkStatus();
  }

  Unary* ModelStatistics(Context* context, const Bytes* input,
                         Bytes* output) override {
    return AnswerNow<inference::ModelStatisticsRequest,
                     inference::ModelStatisticsResponse>(
        services_, "ModelStatistics", *context, {input, output},
        [&](const auto& request, auto& response) -> absl::Status {
          if (!request.name().empty()) {
            return AddStatistics(request.name(), request.version(), response);
          }
          for (const auto& model : services_.store.List().models) {
            for (const uint64_t version : model.served) {
              // One that has been retired in between is left out.
              AddStatistics(model.name, absl::StrCat(version), response)
                  .IgnoreError();
            }
          }
          return absl::OkStatus();
        });
  }

  Unary* ModelInfer(Context* context, const Bytes* input,
                    Bytes* output) override {
    // gRPC keeps the bytes for this call alone.
    return InferCall::Start({services_, statistics_}, *context,
                            const_cast<grpc::ByteBuffer&>(*input), *output);
  }

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ModelStreamInfer(
      Context* context) override {
    return StreamInferCall::Start({services_, statistics_}, *context);
  }

  Unary* RepositoryIndex(Context* context, const Bytes* input,
                         Bytes* output) override {
    return AnswerNow<inference::RepositoryIndexRequest,
                     inference::RepositoryIndexResponse>(
        services_, "RepositoryIndex", *context, {input, output},
        [&](const auto& request, auto& response) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckRepository(request.repository_name()));
          for (const auto& model : services_.store.List().models) {
            for (const auto& version : model.versions) {
              const bool ready = version.state == VersionState::kServing;
              if (request.ready() && !ready) continue;
              auto& entry = *response.add_models();
              entry.set_name(model.name);
              entry.set_version(absl::StrCat(version.version));
              entry.set_state(std::string(StateName(version.state)));
              entry.set_reason(std::string(version.status.message()));
            }
          }
          return absl::OkStatus();
        });
  }

  Unary* RepositoryModelLoad(Context* context, const Bytes* input,
                             Bytes* output) override {
    return control_.Answer<inference::RepositoryModelLoadRequest,
                           inference::RepositoryModelLoadResponse>(
        services_, "RepositoryModelLoad", *context, {input, output},
        [this](const auto& request, auto&,
               const std::stop_token& stop) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckControl(request));
          return services_.store.Load(request.model_name(), std::nullopt, stop);
        });
  }

  Unary* RepositoryModelUnload(Context* context, const Bytes* input,
                               Bytes* output) override {
    return control_.Answer<inference::RepositoryModelUnloadRequest,
                           inference::RepositoryModelUnloadResponse>(
        services_, "RepositoryModelUnload", *context, {input, output},
        [this](const auto& request, auto&,
               const std::stop_token&) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckControl(request));
          return services_.store.Unload(request.model_name(), std::nullopt);
        });
  }

  const RpcServices& services_;
  InferenceStatistics& statistics_;
  ControlQueue& control_;
  const ServerConfig config_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeInferenceService(
    const InferenceServices& services, ControlQueue& control,
    const ServerConfig& config) {
  return std::make_unique<InferenceService>(services, control, config);
}

}  // namespace ladder::server
