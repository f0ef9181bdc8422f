#ifndef LADDER_CLIENT_COMMAND_LOAD_CALL_CONTEXT_H_
#define LADDER_CLIENT_COMMAND_LOAD_CALL_CONTEXT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "client/command/load/load_options.h"

namespace ladder::command {

// Sets the deadline and the metadata that every call has.
void PrepareContext(const LoadOptions& options, grpc::ClientContext& context);

// Both enums hold the canonical codes.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_LOAD_CALL_CONTEXT_H_
