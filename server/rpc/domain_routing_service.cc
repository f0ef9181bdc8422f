#include "server/rpc/domain_routing_service.h"

#include <memory>
#include <optional>

#include "base/status_macros.h"
#include "server/rpc/pinned_models.h"
#include "server/rpc/predict_call.h"
#include "server/rpc/route_call.h"
#include "server/rpc/to_proto.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
DomainRoutingService::PredictDomain(grpc::CallbackServerContext* context) {
  return PredictCall::Start(services_, *context);
}

grpc::ServerReadReactor<grpc::ByteBuffer>* DomainRoutingService::RouteDomain(
    grpc::CallbackServerContext* context, grpc::ByteBuffer* output) {
  return RouteCall::Start(services_, *context, *output);
}

grpc::ServerUnaryReactor* DomainRoutingService::ListModels(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* input,
    grpc::ByteBuffer* output) {
  return AnswerNow<v1::ListModelsRequest, v1::ListModelsResponse>(
      services_, "ListModels", *context, {input, output},
      [this](const auto&, auto& response) {
        for (const auto& model : services_.store.List().models) {
          ModelStatusToProto(model, *response.add_models());
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* DomainRoutingService::GetModel(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* input,
    grpc::ByteBuffer* output) {
  return AnswerNow<v1::GetModelRequest, v1::GetModelResponse>(
      services_, "GetModel", *context, {input, output},
      [this](const auto& request, auto& response) -> absl::Status {
        LADDER_ASSIGN_OR_RETURN(const auto model,
                                ResolveModel(services_.store, request.model()));
        ModelToProto(*model, response);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* DomainRoutingService::ReloadModel(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* input,
    grpc::ByteBuffer* output) {
  return control_.Answer<v1::ReloadModelRequest, v1::ReloadModelResponse>(
      services_, "ReloadModel", *context, {input, output},
      [this](const auto& request, auto& response,
             const std::stop_token& stop) -> absl::Status {
        LADDER_RETURN_IF_ERROR(model_store::CheckModelName(request.name()));
        LADDER_RETURN_IF_ERROR(services_.store.Load(
            request.name(),
            request.version() == 0 ? std::nullopt
                                   : std::optional(request.version()),
            stop));
        LADDER_ASSIGN_OR_RETURN(const auto info,
                                services_.store.Describe(request.name()));
        ModelStatusToProto(info, *response.mutable_model());
        return absl::OkStatus();
      });
}

}  // namespace ladder::server
