#ifndef LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
#define LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_

#include "ladder/v1/domain_routing.grpc.pb.h"
#include "server/rpc/call.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// ladder.v1.DomainRouting. Thread-safe.
class DomainRoutingService final
    : public v1::DomainRouting::WithRawCallbackMethod_PredictDomain<
          v1::DomainRouting::WithRawCallbackMethod_RouteDomain<
              v1::DomainRouting::WithRawCallbackMethod_ListModels<
                  v1::DomainRouting::WithRawCallbackMethod_GetModel<
                      v1::DomainRouting::WithRawCallbackMethod_ReloadModel<
                          v1::DomainRouting::Service>>>>> {
 public:
  // Both must outlive the service.
  DomainRoutingService(const RpcServices& services, ControlQueue& control)
      : services_(services), control_(control) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* PredictDomain(
      grpc::CallbackServerContext* context) override;

  grpc::ServerReadReactor<grpc::ByteBuffer>* RouteDomain(
      grpc::CallbackServerContext* context,
      grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* ReloadModel(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

 private:
  const RpcServices& services_;
  ControlQueue& control_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
