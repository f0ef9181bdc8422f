#ifndef LADDER_SERVER_RPC_TO_PROTO_H_
#define LADDER_SERVER_RPC_TO_PROTO_H_

#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_info.h"
#include "server/groups/group_options.h"
#include "server/groups/predict_rows.h"
#include "server/groups/route_group.h"

namespace ladder::server {

// From the core to the wire.

v1::Method MethodToProto(routing::Method method);

v1::Fallback FallbackToProto(Fallback fallback);

void RoutingToProto(const model_store::Model& model,
                    const RoutingAnswer& answer, const OutputOptions& outputs,
                    v1::Routing& proto);

void PredictionsToProto(const model_store::Model& model, GroupPredictions rows,
                        v1::Predictions& proto);

void RejectedToProto(RejectedSample rejected, v1::RejectedSample& proto);

void ModelStatusToProto(const model_store::ModelInfo& info,
                        v1::ModelStatus& proto);

void ModelToProto(const model_store::Model& model, v1::GetModelResponse& proto);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_TO_PROTO_H_
