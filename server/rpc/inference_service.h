#ifndef LADDER_SERVER_RPC_INFERENCE_SERVICE_H_
#define LADDER_SERVER_RPC_INFERENCE_SERVICE_H_

#include <string>

#include "inference/grpc_service.grpc.pb.h"
#include "server/config/server_config.h"
#include "server/inference/model_description.h"
#include "server/rpc/control_queue.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// inference.GRPCInferenceService: the Open Inference Protocol with the
// extensions that Triton's clients use. Thread-safe.
class InferenceService final
    : public inference::GRPCInferenceService::CallbackService {
 public:
  // `services` and `control` must outlive the service.
  InferenceService(const RpcServices& services, ControlQueue& control,
                   const ServerConfig& config)
      : services_(services), control_(control), config_(config) {}

  grpc::ServerUnaryReactor* ServerLive(
      grpc::CallbackServerContext* context,
      const inference::ServerLiveRequest* request,
      inference::ServerLiveResponse* response) override;
  grpc::ServerUnaryReactor* ServerReady(
      grpc::CallbackServerContext* context,
      const inference::ServerReadyRequest* request,
      inference::ServerReadyResponse* response) override;
  grpc::ServerUnaryReactor* ServerMetadata(
      grpc::CallbackServerContext* context,
      const inference::ServerMetadataRequest* request,
      inference::ServerMetadataResponse* response) override;
  grpc::ServerUnaryReactor* ModelReady(
      grpc::CallbackServerContext* context,
      const inference::ModelReadyRequest* request,
      inference::ModelReadyResponse* response) override;
  grpc::ServerUnaryReactor* ModelMetadata(
      grpc::CallbackServerContext* context,
      const inference::ModelMetadataRequest* request,
      inference::ModelMetadataResponse* response) override;
  grpc::ServerUnaryReactor* ModelConfig(
      grpc::CallbackServerContext* context,
      const inference::ModelConfigRequest* request,
      inference::ModelConfigResponse* response) override;
  grpc::ServerUnaryReactor* ModelStatistics(
      grpc::CallbackServerContext* context,
      const inference::ModelStatisticsRequest* request,
      inference::ModelStatisticsResponse* response) override;
  grpc::ServerUnaryReactor* ModelInfer(
      grpc::CallbackServerContext* context,
      const inference::ModelInferRequest* request,
      inference::ModelInferResponse* response) override;
  grpc::ServerBidiReactor<inference::ModelInferRequest,
                          inference::ModelStreamInferResponse>*
  ModelStreamInfer(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* RepositoryIndex(
      grpc::CallbackServerContext* context,
      const inference::RepositoryIndexRequest* request,
      inference::RepositoryIndexResponse* response) override;
  grpc::ServerUnaryReactor* RepositoryModelLoad(
      grpc::CallbackServerContext* context,
      const inference::RepositoryModelLoadRequest* request,
      inference::RepositoryModelLoadResponse* response) override;
  grpc::ServerUnaryReactor* RepositoryModelUnload(
      grpc::CallbackServerContext* context,
      const inference::RepositoryModelUnloadRequest* request,
      inference::RepositoryModelUnloadResponse* response) override;

 private:
  absl::StatusOr<ModelDescription> Describe(const std::string& name,
                                            const std::string& version) const;
  absl::Status AddStatistics(const std::string& name,
                             const std::string& version,
                             inference::ModelStatisticsResponse& response);

  const RpcServices& services_;
  ControlQueue& control_;
  const ServerConfig config_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_INFERENCE_SERVICE_H_
