#ifndef LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
#define LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_

#include <string>

#include "inference/grpc_service.grpc.pb.h"
#include "server/config/server_config.h"
#include "server/inference/infer_job.h"
#include "server/inference/model_description.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

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

// inference.GRPCInferenceService: the Open Inference Protocol with the
// extensions that Triton's clients use. Thread-safe.
class InferenceService final : public raw_methods::All {
 public:
  // What `services` refers to and `control` must outlive the service.
  InferenceService(const InferenceServices& services, ControlQueue& control,
                   const ServerConfig& config)
      : services_(services.rpc),
        statistics_(services.statistics),
        control_(control),
        config_(config) {}

  grpc::ServerUnaryReactor* ServerLive(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ServerReady(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ServerMetadata(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ModelReady(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ModelMetadata(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ModelConfig(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ModelStatistics(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ModelStreamInfer(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* RepositoryIndex(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RepositoryModelLoad(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RepositoryModelUnload(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
      grpc::ByteBuffer* response) override;

 private:
  absl::StatusOr<ModelDescription> Describe(const std::string& name,
                                            const std::string& version) const;
  absl::Status AddStatistics(const std::string& name,
                             const std::string& version,
                             inference::ModelStatisticsResponse& response);

  const RpcServices& services_;
  InferenceStatistics& statistics_;
  ControlQueue& control_;
  const ServerConfig config_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
