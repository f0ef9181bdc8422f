#ifndef LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
#define LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/rpc/call.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// ladder.v1.DomainRouting. Thread-safe. Both must outlive the service.
std::unique_ptr<grpc::Service> MakeDomainRoutingService(
    const RpcServices& services, ControlQueue& control);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
