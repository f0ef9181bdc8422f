#ifndef LADDER_SERVER_RPC_UNARY_CALL_H_
#define LADDER_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/system/threads.h"
#include "server/rpc/call.h"
#include "server/rpc/wire.h"

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
  LADDER_RETURN_IF_ERROR(
      ParseMessage(*bytes.request, services.limits.max_message_bytes, request));
  Response response;
  LADDER_RETURN_IF_ERROR(body(request, response));
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

// Where calls that load and unload models wait for that to be done, one after
// the other, without keeping gRPC's threads.
//
// Thread-safe.
class ControlQueue {
 public:
  ~ControlQueue() { Stop(); }

  // Serves a call when its turn has come, by `body`, which is given the
  // request, the response and a stop token and returns an absl::Status.
  // PermissionDenied unless models may be controlled by calls,
  // ResourceExhausted if too many wait already, Unavailable after Stop.
  // `services` must outlive the queue.
  template <typename Request, typename Response, typename Body>
  grpc::ServerUnaryReactor* Answer(const RpcServices& services,
                                   absl::string_view rpc,
                                   grpc::CallbackServerContext& context,
                                   const UnaryBytes& bytes, Body body) {
    return Queue(services, rpc, context,
                 [&services, bytes,
                  body = std::move(body)](const std::stop_token& stop) {
                   return AnswerBytes<Request, Response>(
                       services, bytes,
                       [&](const Request& request, Response& response) {
                         return body(request, response, stop);
                       });
                 });
  }

  // Tells the work that is being done to stop, and waits for it and for what is
  // behind it.
  void Stop();

 private:
  using Work = std::function<absl::Status(const std::stop_token&)>;

  grpc::ServerUnaryReactor* Queue(const RpcServices& services,
                                  absl::string_view rpc,
                                  grpc::CallbackServerContext& context,
                                  Work work);
  absl::Status Post(std::function<void()> task);

  std::atomic<int> num_waiting_ = 0;
  std::stop_source stop_;
  base::TaskQueue tasks_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_UNARY_CALL_H_
