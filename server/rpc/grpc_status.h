#ifndef LADDER_SERVER_RPC_GRPC_STATUS_H_
#define LADDER_SERVER_RPC_GRPC_STATUS_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace ladder::server {

// The only place where an absl::Status becomes a grpc::Status. Long messages
// are cut, because they travel in a header.
grpc::Status ToGrpc(const absl::Status& status);

// Puts RetryAfter(status), if there is one, into the call's trailing metadata,
// under the name that gRPC's own retries look for.
void AddRetryHint(const absl::Status& status, grpc::ServerContextBase& context);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_GRPC_STATUS_H_
