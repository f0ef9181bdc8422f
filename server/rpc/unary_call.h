#ifndef LADDER_SERVER_RPC_UNARY_CALL_H_
#define LADDER_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/rpc/call.h"
#include "server/rpc/rpc_services.h"
#include "server/rpc/wire_message.h"

namespace ladder::server {

// What a unary call comes with and is to be answered with.
struct UnaryBytes {
  const grpc::ByteBuffer* request;
  grpc::ByteBuffer* response;
};

// Answers by `body`, which is given the request and the response and returns an
// absl::Status.
template <typename Request, typename Response, typename Body>
absl::Status AnswerBytes(const RpcServices& services, const UnaryBytes& bytes,
                         Body&& body) {
  Request request;
  absl::Status status =
      ParseMessage(*bytes.request, services.limits.max_message_bytes, request);
  if (!status.ok()) return status;
  Response response;
  status = body(request, response);
  if (!status.ok()) return status;
  return SerializeMessage(response, *bytes.response);
}

enum class WhenStopping { kRefuse, kAnswer };

// Serves a call that is answered on the spot, by AnswerBytes, if the caller may
// make it.
template <typename Request, typename Response, typename Body>
grpc::ServerUnaryReactor* AnswerNow(
    const RpcServices& services, absl::string_view rpc,
    grpc::CallbackServerContext& context, const UnaryBytes& bytes, Body&& body,
    WhenStopping when_stopping = WhenStopping::kRefuse) {
  Call call(services, rpc, context);
  absl::Status status = call.Authorize();
  if (status.ok() && when_stopping == WhenStopping::kRefuse) {
    status = services.admission.CheckOpen();
  }
  if (status.ok()) {
    status = AnswerBytes<Request, Response>(services, bytes, body);
  }
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  reactor->Finish(call.End(status));
  return reactor;
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_UNARY_CALL_H_
