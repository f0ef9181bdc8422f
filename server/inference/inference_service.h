#ifndef LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
#define LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/config/server_config.h"
#include "server/inference/infer_job.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// inference.GRPCInferenceService: the Open Inference Protocol with the
// extensions that Triton's clients use. Thread-safe. What `services` refers to
// and `control` must outlive the service.
std::unique_ptr<grpc::Service> MakeInferenceService(
    const InferenceServices& services, ControlQueue& control,
    const ServerConfig& config);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
