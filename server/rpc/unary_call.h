#ifndef LADDER_SERVER_RPC_UNARY_CALL_H_
#define LADDER_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/rpc/call.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// Serves a call that is answered on the spot: `body` returns an absl::Status
// and is called if the caller may.
template <typename Body>
grpc::ServerUnaryReactor* AnswerNow(const RpcServices& services,
                                    absl::string_view rpc,
                                    grpc::CallbackServerContext& context,
                                    Body&& body) {
  Call call(services, rpc, context);
  absl::Status status = call.Authorize();
  if (status.ok()) status = body();
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  reactor->Finish(call.End(status));
  return reactor;
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_UNARY_CALL_H_
