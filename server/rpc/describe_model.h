#ifndef LADDER_SERVER_RPC_DESCRIBE_MODEL_H_
#define LADDER_SERVER_RPC_DESCRIBE_MODEL_H_

#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_info.h"

namespace ladder::server {

void ModelStatusToProto(const model_store::ModelInfo& info,
                        v1::ModelStatus& proto);

void ModelToProto(const model_store::Model& model, v1::GetModelResponse& proto);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_DESCRIBE_MODEL_H_
