#include "server/rpc/domain_routing_service.h"

#include <memory>
#include <optional>

#include "server/rpc/describe_model.h"
#include "server/rpc/pinned_models.h"
#include "server/rpc/predict_call.h"
#include "server/rpc/route_call.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

grpc::ServerBidiReactor<v1::PredictDomainRequest, v1::PredictDomainResponse>*
DomainRoutingService::PredictDomain(grpc::CallbackServerContext* context) {
  return PredictCall::Start(services_, *context);
}

grpc::ServerReadReactor<v1::RouteDomainRequest>*
DomainRoutingService::RouteDomain(grpc::CallbackServerContext* context,
                                  v1::RouteDomainResponse* response) {
  return RouteCall::Start(services_, *context, *response);
}

grpc::ServerUnaryReactor* DomainRoutingService::ListModels(
    grpc::CallbackServerContext* context, const v1::ListModelsRequest*,
    v1::ListModelsResponse* response) {
  return AnswerNow(services_, "ListModels", *context, [&] {
    for (const auto& model : services_.store.List().models) {
      ModelStatusToProto(model, *response->add_models());
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DomainRoutingService::GetModel(
    grpc::CallbackServerContext* context, const v1::GetModelRequest* request,
    v1::GetModelResponse* response) {
  return AnswerNow(services_, "GetModel", *context, [&]() -> absl::Status {
    const auto model = ResolveModel(services_.store, request->model());
    if (!model.ok()) return model.status();
    ModelToProto(**model, *response);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DomainRoutingService::ReloadModel(
    grpc::CallbackServerContext* context, const v1::ReloadModelRequest* request,
    v1::ReloadModelResponse* response) {
  return control_.Answer(
      services_, "ReloadModel", *context,
      [this, request, response](const std::stop_token& stop) -> absl::Status {
        absl::Status status = model_store::CheckModelName(request->name());
        if (!status.ok()) return status;
        status = services_.store.Load(request->name(),
                                      request->version() == 0
                                          ? std::nullopt
                                          : std::optional(request->version()),
                                      stop);
        if (!status.ok()) return status;
        const auto info = services_.store.Describe(request->name());
        if (!info.ok()) return info.status();
        ModelStatusToProto(*info, *response->mutable_model());
        return absl::OkStatus();
      });
}

}  // namespace ladder::server
