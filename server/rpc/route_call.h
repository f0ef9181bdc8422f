#ifndef LADDER_SERVER_RPC_ROUTE_CALL_H_
#define LADDER_SERVER_RPC_ROUTE_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "ladder/v1/domain_routing.pb.h"
#include "server/groups/group.h"
#include "server/rpc/stream_call.h"

namespace ladder::server {

// One RouteDomain call: one group, sent once, encoded by every model that a
// question asks about.
//
// Lives until gRPC and all of its groups have let go of it. Thread-safe.
class RouteCall final : public StreamCall {
 public:
  // What gRPC is to be given for a new call.
  static CallReactor* Start(const RpcServices& services,
                            grpc::CallbackServerContext& context);

 private:
  class Sink;

  // The questions about one model, and the group that answers them.
  struct Part {
    model_store::ModelHandle model = {};
    std::vector<int> questions = {};    // Their places in the request.
    std::shared_ptr<Group> group = {};  // Null once it has ended.
  };

  RouteCall(const RpcServices& services, grpc::CallbackServerContext& context)
      : StreamCall(services, "RouteDomain", context) {}

  // StreamCall:
  absl::Status Accept() override;
  void EndInput() override;
  void StopWork() override;
  bool CanRead() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWorking() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return untaken_bytes_ > 0;
  }
  bool IsAnswered() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return num_open_ == 0;
  }
  absl::Status CompleteAnswer(grpc::ByteBuffer& bytes) override
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return SerializeMessage(response_, bytes);
  }

  // Opens the groups that the first message asks for.
  absl::Status OpenGroups(const v1::RouteDomainRequest& request);
  absl::Status AddSamples(
      const std::shared_ptr<v1::RouteDomainRequest>& request);
  // Those whose group has not ended.
  std::vector<Part> OpenParts() const;

  // The groups call these, through their sinks:
  void Answer(size_t part, size_t number, const RoutingAnswer& answer);
  void Reject(std::vector<RejectedSample> rejected);
  void OnSamplesTaken(uint64_t bytes);
  void OnGroupEnd(size_t part, const absl::Status& status,
                  const GroupSummary& summary);

  std::vector<Part> parts_ ABSL_GUARDED_BY(mutex_);
  size_t num_open_ ABSL_GUARDED_BY(mutex_) = 0;  // Groups.
  v1::RouteDomainResponse response_ ABSL_GUARDED_BY(mutex_);
  uint64_t untaken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_ROUTE_CALL_H_
