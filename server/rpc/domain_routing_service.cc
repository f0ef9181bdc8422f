#include "server/rpc/domain_routing_service.h"

#include <memory>
#include <optional>

#include "base/status_macros.h"
#include "ladder/v1/domain_routing.grpc.pb.h"
#include "server/rpc/from_proto.h"
#include "server/rpc/predict_call.h"
#include "server/rpc/route_call.h"
#include "server/rpc/to_proto.h"

namespace ladder::server {
namespace {

class DomainRoutingService final
    : public v1::DomainRouting::WithRawCallbackMethod_PredictDomain<
          v1::DomainRouting::WithRawCallbackMethod_RouteDomain<
              v1::DomainRouting::WithRawCallbackMethod_ListModels<
                  v1::DomainRouting::WithRawCallbackMethod_GetModel<
                      v1::DomainRouting::WithRawCallbackMethod_ReloadModel<
                          v1::DomainRouting::Service>>>>> {
 public:
  DomainRoutingService(const RpcServices& services, ControlQueue& control)
      : services_(services), control_(control) {}

 private:
  using Context = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;
  using Unary = grpc::ServerUnaryReactor;

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* PredictDomain(
      Context* context) override {
    return PredictCall::Start(services_, *context);
  }

  grpc::ServerReadReactor<grpc::ByteBuffer>* RouteDomain(
      Context* context, Bytes* output) override {
    return RouteCall::Start(services_, *context, *output);
  }

  Unary* ListModels(Context* context, const Bytes* input,
                    Bytes* output) override {
    return AnswerNow<v1::ListModelsRequest, v1::ListModelsResponse>(
        services_, "ListModels", *context, {input, output},
        [this](const auto&, auto& response) {
          for (const auto& model : services_.store.List().models) {
            ModelStatusToProto(model, *response.add_models());
          }
          return absl::OkStatus();
        });
  }

  Unary* GetModel(Context* context, const Bytes* input,
                  Bytes* output) override {
    return AnswerNow<v1::GetModelRequest, v1::GetModelResponse>(
        services_, "GetModel", *context, {input, output},
        [this](const auto& request, auto& response) -> absl::Status {
          LADDER_ASSIGN_OR_RETURN(
              const auto model, ResolveModel(services_.store, request.model()));
          ModelToProto(*model, response);
          return absl::OkStatus();
        });
  }

  Unary* ReloadModel(Context* context, const Bytes* input,
                     Bytes* output) override {
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

  const RpcServices& services_;
  ControlQueue& control_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeDomainRoutingService(
    const RpcServices& services, ControlQueue& control) {
  return std::make_unique<DomainRoutingService>(services, control);
}

}  // namespace ladder::server
