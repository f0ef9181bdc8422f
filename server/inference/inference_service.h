#ifndef LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
#define LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_

#include "server/config/server_config.h"
#include "server/inference/infer_job.h"
#include "server/rpc/call_table.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// Adds the methods of inference.GRPCInferenceService: the Open Inference
// Protocol with the extensions that Triton's clients use. What `services`
// refers to and `control` must outlive the table.
void AddInference(const InferenceServices& services, ControlQueue& control,
                  const ServerConfig& config, CallTable& table);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFERENCE_SERVICE_H_
