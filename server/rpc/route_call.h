#ifndef LADDER_SERVER_RPC_ROUTE_CALL_H_
#define LADDER_SERVER_RPC_ROUTE_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ladder/v1/domain_routing.pb.h"
#include "server/groups/group.h"
#include "server/rpc/call.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// One RouteDomain call: one group, sent once, encoded by every model that a
// question asks about.
//
// Lives until gRPC and all of its groups have let go of it. Thread-safe.
class RouteCall final : public grpc::ServerReadReactor<grpc::ByteBuffer>,
                        public LongCall,
                        public std::enable_shared_from_this<RouteCall> {
 public:
  // What gRPC is to be given for a new call.
  static grpc::ServerReadReactor<grpc::ByteBuffer>* Start(
      const RpcServices& services, grpc::CallbackServerContext& context,
      grpc::ByteBuffer& response);

  // LongCall:
  void CheckTime(absl::Time now) override;
  void Abort(absl::Status status) override;

 private:
  class Sink;

  // The questions about one model, and the group that answers them.
  struct Part {
    model_store::ModelHandle model = {};
    std::vector<int> questions = {};    // Their places in the request.
    std::shared_ptr<Group> group = {};  // Null once it has ended.
  };

  RouteCall(const RpcServices& services, grpc::CallbackServerContext& context,
            grpc::ByteBuffer& response);

  // gRPC's:
  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Takes in the message that was read.
  absl::Status Accept();
  // From the first message.
  absl::Status OpenGroups(const v1::RouteDomainRequest& request);
  absl::Status AddSamples(
      const std::shared_ptr<v1::RouteDomainRequest>& request);
  void EndInput();

  // From the groups, through their sinks:
  void Answer(size_t part, size_t number, const RoutingAnswer& answer);
  void Reject(std::vector<RejectedSample> rejected);
  void OnSamplesTaken(uint64_t bytes);
  void OnGroupEnd(size_t part, const absl::Status& status);

  // See PredictCall.
  void Pump();
  enum class Action { kNone, kRead, kFinish };
  Action NextAction() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RpcServices& services_;
  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer& response_bytes_;
  Call call_;
  grpc::ByteBuffer request_;  // Being read.

  std::mutex mutex_;
  std::shared_ptr<RouteCall> self_ ABSL_GUARDED_BY(mutex_);  // Until OnDone.
  std::vector<Part> parts_ ABSL_GUARDED_BY(mutex_);
  size_t num_open_ ABSL_GUARDED_BY(mutex_) = 0;  // Groups.
  v1::RouteDomainResponse response_ ABSL_GUARDED_BY(mutex_);
  uint64_t untaken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_message_ ABSL_GUARDED_BY(mutex_);
  bool input_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_ROUTE_CALL_H_
