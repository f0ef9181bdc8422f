#ifndef LADDER_SERVER_RPC_PREDICT_CALL_H_
#define LADDER_SERVER_RPC_PREDICT_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ladder/v1/domain_routing.pb.h"
#include "server/groups/group.h"
#include "server/rpc/call.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/pinned_models.h"
#include "server/rpc/rpc_services.h"

namespace ladder::server {

// One PredictDomain stream: takes messages apart into groups, and writes what
// becomes of them. Reads no more while too much of what it has read waits to be
// encoded, or too many answers wait to be taken.
//
// Lives until gRPC and all of its groups have let go of it. Thread-safe.
class PredictCall final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public LongCall,
      public std::enable_shared_from_this<PredictCall> {
 public:
  // What gRPC is to be given for a new stream.
  static grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Start(
      const RpcServices& services, grpc::CallbackServerContext& context);

  // LongCall:
  void CheckTime(absl::Time now) override;
  void Abort(absl::Status status) override;

 private:
  class Sink;

  PredictCall(const RpcServices& services,
              grpc::CallbackServerContext& context);

  // gRPC's:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  // Takes in the message that was read. An error concerns the whole stream.
  absl::Status Accept();
  // The group that the message is for, a new one if need be; null if its
  // messages are to be ignored. An error concerns the group.
  absl::StatusOr<std::shared_ptr<Group>> FindGroup(
      const v1::PredictDomainRequest& request);
  absl::StatusOr<std::shared_ptr<Group>> OpenGroup(
      const v1::PredictDomainRequest& request);
  absl::Status AddSamples(
      const std::shared_ptr<v1::PredictDomainRequest>& request, Group& group);
  void EndInput();

  // From the groups, through their sinks:
  void Answer(v1::PredictDomainResponse response);
  bool HasRoom(const std::string& group);
  void OnSamplesTaken(const std::string& group, uint64_t bytes);
  void OnGroupEnd(const std::string& group, const absl::Status& status,
                  const GroupSummary& summary);
  void FailGroup(const std::string& group, const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Those that are left when the stream ends.
  void FailGroups();

  bool WaitsForCaller() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Decides how the stream ends, unless that is decided already.
  void EndWith(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Starts whatever gRPC should do next. Every change of what follows is
  // followed by a call.
  void Pump();
  enum class Action { kNone, kRead, kWrite, kFailGroups, kFinish };
  Action NextAction() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const RpcServices& services_;
  grpc::CallbackServerContext& context_;
  Call call_;

  std::mutex mutex_;
  std::shared_ptr<PredictCall> self_ ABSL_GUARDED_BY(mutex_);  // Until OnDone.
  PinnedModels models_ ABSL_GUARDED_BY(mutex_);
  struct Entry {
    std::shared_ptr<Group> group;
    model_store::ModelHandle model;
    bool ended = false;          // By its caller.
    uint64_t untaken_bytes = 0;  // Its part of those below.
  };
  std::map<std::string, Entry> groups_ ABSL_GUARDED_BY(mutex_);
  // Groups that have failed and that their caller has not ended yet.
  std::set<std::string> failed_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> waiting_for_room_ ABSL_GUARDED_BY(mutex_);
  bool is_first_message_ ABSL_GUARDED_BY(mutex_) = true;
  bool continue_on_error_ ABSL_GUARDED_BY(mutex_) = false;

  grpc::ByteBuffer request_;            // Being read.
  v1::PredictDomainResponse response_;  // Being written, as the next.
  grpc::ByteBuffer response_bytes_;
  std::deque<v1::PredictDomainResponse> answers_ ABSL_GUARDED_BY(mutex_);
  uint64_t answer_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t untaken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_message_ ABSL_GUARDED_BY(mutex_);
  bool input_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;  // With status_.
  bool groups_failed_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_PREDICT_CALL_H_
