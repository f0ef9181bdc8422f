#ifndef LADDER_SERVER_RPC_CONTROL_QUEUE_H_
#define LADDER_SERVER_RPC_CONTROL_QUEUE_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <functional>
#include <stop_token>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model_store/task_queue.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// Where calls that load and unload models wait for that to be done, one after
// the other, without keeping gRPC's threads.
//
// Thread-safe.
class ControlQueue {
 public:
  using Work = std::function<absl::Status(const std::stop_token&)>;

  ~ControlQueue() { Stop(); }

  // Serves a call by doing `work` when its turn has come. PermissionDenied
  // unless models may be controlled by calls, ResourceExhausted if too many
  // wait already, Unavailable after Stop. `services` must outlive the queue.
  grpc::ServerUnaryReactor* Answer(const RpcServices& services,
                                   absl::string_view rpc,
                                   grpc::CallbackServerContext& context,
                                   Work work);

  // Tells the work that is being done to stop, and waits for it and for what is
  // behind it.
  void Stop();

 private:
  absl::Status Post(std::function<void()> task);

  std::atomic<int> num_waiting_ = 0;
  std::stop_source stop_;
  model_store::TaskQueue tasks_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CONTROL_QUEUE_H_
