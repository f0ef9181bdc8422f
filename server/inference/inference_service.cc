#include "server/inference/inference_service.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/version.h"
#include "base/text/text.h"
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

// The methods, each of which starts a call.
class InferenceMethods {
 public:
  InferenceMethods(const InferenceServices& services, ControlQueue& control,
                   const ServerConfig& config)
      : services_(services.rpc),
        statistics_(services.statistics),
        control_(control),
        config_(config) {}

  using Context = grpc::CallbackServerContext;

  CallReactor* ServerLive(Context& context) {
    return AnswerNow<inference::ServerLiveRequest,
                     inference::ServerLiveResponse>(
        services_, "ServerLive", context,
        [this](const auto&, auto& response) {
          response.set_live(true);
          return absl::OkStatus();
        },
        Entrance::kAlways);
  }

  CallReactor* ServerReady(Context& context) {
    return AnswerNow<inference::ServerReadyRequest,
                     inference::ServerReadyResponse>(
        services_, "ServerReady", context,
        [this](const auto&, auto& response) {
          response.set_ready(services_.check_ready().ok());
          return absl::OkStatus();
        },
        Entrance::kAlways);
  }

  CallReactor* ServerMetadata(Context& context) {
    return AnswerNow<inference::ServerMetadataRequest,
                     inference::ServerMetadataResponse>(
        services_, "ServerMetadata", context,
        [this](const auto&, auto& response) {
          response.set_name("ladder");
          response.set_version(base::kVersion);
          for (const char* extension : {"classification", "model_configuration",
                                        "model_repository", "statistics"}) {
            response.add_extensions(extension);
          }
          return absl::OkStatus();
        });
  }

  CallReactor* ModelReady(Context& context) {
    return AnswerNow<inference::ModelReadyRequest,
                     inference::ModelReadyResponse>(
        services_, "ModelReady", context,
        [this](const auto& request, auto& response) -> absl::Status {
          const auto model =
              FindModel(services_.store, request.name(), request.version());
          response.set_ready(model.ok());
          return absl::IsInvalidArgument(model.status()) ? model.status()
                                                         : absl::OkStatus();
        });
  }

 private:
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

 public:
  CallReactor* ModelMetadata(Context& context) {
    return AnswerNow<inference::ModelMetadataRequest,
                     inference::ModelMetadataResponse>(
        services_, "ModelMetadata", context,
        [this](const auto& request, auto& response) -> absl::Status {
          LADDER_ASSIGN_OR_RETURN(const auto model,
                                  Describe(request.name(), request.version()));
          response = DescribeMetadata(model);
          return absl::OkStatus();
        });
  }

  CallReactor* ModelConfig(Context& context) {
    return AnswerNow<inference::ModelConfigRequest,
                     inference::ModelConfigResponse>(
        services_, "ModelConfig", context,
        [this](const auto& request, auto& response) -> absl::Status {
          LADDER_ASSIGN_OR_RETURN(const auto model,
                                  Describe(request.name(), request.version()));
          response = DescribeConfig(model);
          return absl::OkStatus();
        });
  }

 private:
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

 public:
  CallReactor* ModelStatistics(Context& context) {
    return AnswerNow<inference::ModelStatisticsRequest,
                     inference::ModelStatisticsResponse>(
        services_, "ModelStatistics", context,
        [this](const auto& request, auto& response) -> absl::Status {
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

  CallReactor* ModelInfer(Context& context) {
    return InferCall::Start({services_, statistics_}, context);
  }

  CallReactor* ModelStreamInfer(Context& context) {
    return StreamInferCall::Start({services_, statistics_}, context);
  }

  CallReactor* RepositoryIndex(Context& context) {
    return AnswerNow<inference::RepositoryIndexRequest,
                     inference::RepositoryIndexResponse>(
        services_, "RepositoryIndex", context,
        [this](const auto& request, auto& response) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckRepository(request.repository_name()));
          for (const auto& model : services_.store.List().models) {
            for (const auto& version : model.versions) {
              const bool ready = version.state == VersionState::kServing;
              if (request.ready() && !ready) continue;
              auto& entry = *response.add_models();
              entry.set_name(model.name);
              entry.set_version(absl::StrCat(version.version));
              entry.set_state(std::string(StateName(version.state)));
              entry.set_reason(base::ValidText(version.status.message()));
            }
          }
          return absl::OkStatus();
        });
  }

  CallReactor* RepositoryModelLoad(Context& context) {
    return control_.Answer<inference::RepositoryModelLoadRequest,
                           inference::RepositoryModelLoadResponse>(
        services_, "RepositoryModelLoad", context,
        [this](const auto& request, auto&,
               const std::stop_token& stop) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckControl(request));
          return services_.store.Load(request.model_name(), std::nullopt, stop);
        });
  }

  CallReactor* RepositoryModelUnload(Context& context) {
    return control_.Answer<inference::RepositoryModelUnloadRequest,
                           inference::RepositoryModelUnloadResponse>(
        services_, "RepositoryModelUnload", context,
        [this](const auto& request, auto&,
               const std::stop_token&) -> absl::Status {
          LADDER_RETURN_IF_ERROR(CheckControl(request));
          return services_.store.Unload(request.model_name(), std::nullopt);
        });
  }

 private:
  const RpcServices& services_;
  InferenceStatistics& statistics_;
  ControlQueue& control_;
  const ServerConfig config_;
};

}  // namespace

void AddInference(const InferenceServices& services, ControlQueue& control,
                  const ServerConfig& config, CallTable& table) {
  using Method =
      CallReactor* (InferenceMethods::*)(grpc::CallbackServerContext&);
  constexpr std::pair<absl::string_view, Method> kMethods[] = {
      {"ServerLive", &InferenceMethods::ServerLive},
      {"ServerReady", &InferenceMethods::ServerReady},
      {"ServerMetadata", &InferenceMethods::ServerMetadata},
      {"ModelReady", &InferenceMethods::ModelReady},
      {"ModelMetadata", &InferenceMethods::ModelMetadata},
      {"ModelConfig", &InferenceMethods::ModelConfig},
      {"ModelStatistics", &InferenceMethods::ModelStatistics},
      {"ModelInfer", &InferenceMethods::ModelInfer},
      {"ModelStreamInfer", &InferenceMethods::ModelStreamInfer},
      {"RepositoryIndex", &InferenceMethods::RepositoryIndex},
      {"RepositoryModelLoad", &InferenceMethods::RepositoryModelLoad},
      {"RepositoryModelUnload", &InferenceMethods::RepositoryModelUnload}};
  const auto methods =
      std::make_shared<InferenceMethods>(services, control, config);
  for (const auto& [name, method] : kMethods) {
    table[absl::StrCat(
        "/", inference::GRPCInferenceService::service_full_name(), "/", name)] =
        [methods, method = method](grpc::CallbackServerContext& context) {
          return (*methods.*method)(context);
        };
  }
}

}  // namespace ladder::server
