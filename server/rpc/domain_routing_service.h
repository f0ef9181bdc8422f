#ifndef LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
#define LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_

#include "ladder/v1/domain_routing.grpc.pb.h"
#include "server/rpc/control_queue.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// ladder.v1.DomainRouting. Thread-safe.
class DomainRoutingService final : public v1::DomainRouting::CallbackService {
 public:
  // Both must outlive the service.
  DomainRoutingService(const RpcServices& services, ControlQueue& control)
      : services_(services), control_(control) {}

  grpc::ServerBidiReactor<v1::PredictDomainRequest, v1::PredictDomainResponse>*
  PredictDomain(grpc::CallbackServerContext* context) override;

  grpc::ServerReadReactor<v1::RouteDomainRequest>* RouteDomain(
      grpc::CallbackServerContext* context,
      v1::RouteDomainResponse* response) override;

  grpc::ServerUnaryReactor* ListModels(
      grpc::CallbackServerContext* context,
      const v1::ListModelsRequest* request,
      v1::ListModelsResponse* response) override;

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::GetModelResponse* response) override;

  grpc::ServerUnaryReactor* ReloadModel(
      grpc::CallbackServerContext* context,
      const v1::ReloadModelRequest* request,
      v1::ReloadModelResponse* response) override;

 private:
  const RpcServices& services_;
  ControlQueue& control_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
