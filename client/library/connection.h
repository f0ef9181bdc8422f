#ifndef LADDER_CLIENT_LIBRARY_CONNECTION_H_
#define LADDER_CLIENT_LIBRARY_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <memory>

#include "absl/status/statusor.h"
#include "ladder/client/client_options.h"

namespace ladder::client {

// Connects when it is first used. InvalidArgument or NotFound, naming it, if
// the token or a file cannot be used.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(
    const ClientOptions& options);

// Sets what every call has: its token and its deadline.
void Prepare(const ClientOptions& options, const CallOptions& call,
             grpc::ClientContext& context);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_LIBRARY_CONNECTION_H_
