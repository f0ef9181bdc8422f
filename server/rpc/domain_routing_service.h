#ifndef LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
#define LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_

#include "server/rpc/call.h"
#include "server/rpc/call_table.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

// Adds the methods of ladder.v1.DomainRouting. `services` and `control` must
// outlive the table.
void AddDomainRouting(const RpcServices& services, ControlQueues& control,
                      CallTable& table);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_DOMAIN_ROUTING_SERVICE_H_
