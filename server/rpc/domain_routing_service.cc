#include "server/rpc/domain_routing_service.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ladder/v1/domain_routing.grpc.pb.h"
#include "server/rpc/from_proto.h"
#include "server/rpc/predict_call.h"
#include "server/rpc/route_call.h"
#include "server/rpc/to_proto.h"

namespace ladder::server {
namespace {

using Context = grpc::CallbackServerContext;

CallReactor* ListModels(const RpcServices& services, Context& context) {
  return AnswerNow<v1::ListModelsRequest, v1::ListModelsResponse>(
      services, "ListModels", context,
      [&services](const auto&, auto& response) {
        for (const auto& model : services.store.List().models) {
          ModelStatusToProto(model, *response.add_models());
        }
        return absl::OkStatus();
      });
}

CallReactor* GetModel(const RpcServices& services, Context& context) {
  return AnswerNow<v1::GetModelRequest, v1::GetModelResponse>(
      services, "GetModel", context,
      [&services](const auto& request, auto& response) -> absl::Status {
        LADDER_ASSIGN_OR_RETURN(const auto model,
                                ResolveModel(services.store, request.model()));
        ModelToProto(*model, response);
        return absl::OkStatus();
      });
}

CallReactor* ReloadModel(const RpcServices& services, ControlQueue& control,
                         Context& context) {
  return control.Answer<v1::ReloadModelRequest, v1::ReloadModelResponse>(
      services, "ReloadModel", context,
      [&services](const auto& request, auto& response,
                  const std::stop_token& stop) -> absl::Status {
        LADDER_RETURN_IF_ERROR(model_store::CheckModelName(request.name()));
        LADDER_RETURN_IF_ERROR(services.store.Load(
            request.name(),
            request.version() == 0 ? std::nullopt
                                   : std::optional(request.version()),
            stop));
        LADDER_ASSIGN_OR_RETURN(const auto info,
                                services.store.Describe(request.name()));
        ModelStatusToProto(info, *response.mutable_model());
        return absl::OkStatus();
      });
}

CallReactor* SetModelLabel(const RpcServices& services, ControlQueue& labels,
                           Context& context) {
  return labels.Answer<v1::SetModelLabelRequest, v1::SetModelLabelResponse>(
      services, "SetModelLabel", context,
      [&services](const auto& request, auto& response,
                  const std::stop_token&) -> absl::Status {
        model_store::ModelStore& store = services.store;
        LADDER_RETURN_IF_ERROR(
            request.version() == 0
                ? store.RemoveLabel(request.name(), request.label())
                : store.SetLabel(request.name(), request.label(),
                                 request.version()));
        LADDER_ASSIGN_OR_RETURN(const auto info,
                                store.Describe(request.name()));
        ModelStatusToProto(info, *response.mutable_model());
        return absl::OkStatus();
      },
      Control::kLabels);
}

}  // namespace

void AddDomainRouting(const RpcServices& services, ControlQueues& control,
                      CallTable& table) {
  const auto add = [&table](absl::string_view method, StartCall start) {
    table[absl::StrCat("/", v1::DomainRouting::service_full_name(), "/",
                       method)] = std::move(start);
  };
  add("PredictDomain", [&services](Context& context) {
    return PredictCall::Start(services, context);
  });
  add("RouteDomain", [&services](Context& context) {
    return RouteCall::Start(services, context);
  });
  add("ListModels",
      [&services](Context& context) { return ListModels(services, context); });
  add("GetModel",
      [&services](Context& context) { return GetModel(services, context); });
  add("ReloadModel", [&services, &control](Context& context) {
    return ReloadModel(services, control.models, context);
  });
  add("SetModelLabel", [&services, &control](Context& context) {
    return SetModelLabel(services, control.labels, context);
  });
}

}  // namespace ladder::server
