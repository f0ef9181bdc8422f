#ifndef LADDER_SERVER_RPC_CANCELLATION_H_
#define LADDER_SERVER_RPC_CANCELLATION_H_

#include <grpcpp/server_context.h>

#include <chrono>

#include "absl/status/status.h"

namespace ladder::server {

// Why gRPC has cancelled the call.
inline absl::Status CancellationOf(const grpc::ServerContextBase& context) {
  if (context.deadline() <= std::chrono::system_clock::now()) {
    return absl::DeadlineExceededError("the call's deadline has passed");
  }
  return absl::CancelledError("the caller has ended the call");
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CANCELLATION_H_
