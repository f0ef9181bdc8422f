#ifndef LADDER_SERVER_RPC_CONTROL_QUEUE_H_
#define LADDER_SERVER_RPC_CONTROL_QUEUE_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/system/task_queue.h"
#include "server/rpc/rpc_services.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {

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

#endif  // LADDER_SERVER_RPC_CONTROL_QUEUE_H_
