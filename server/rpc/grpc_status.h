#ifndef LADDER_SERVER_RPC_GRPC_STATUS_H_
#define LADDER_SERVER_RPC_GRPC_STATUS_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace ladder::server {

// The only place where an absl::Status becomes a grpc::Status. Long messages
// are cut, because they travel in a header.
grpc::Status ToGrpc(const absl::Status& status);

// `status`, with a hint to the caller when to try again.
absl::Status WithRetryAfter(absl::Status status, absl::Duration delay);
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

// Puts the hint, if there is one, into the call's trailing metadata, under the
// name that gRPC's own retries look for.
void AddRetryHint(const absl::Status& status, grpc::ServerContextBase& context);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_GRPC_STATUS_H_
