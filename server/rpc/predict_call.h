#ifndef LADDER_SERVER_RPC_PREDICT_CALL_H_
#define LADDER_SERVER_RPC_PREDICT_CALL_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ladder/v1/domain_routing.pb.h"
#include "server/groups/group.h"
#include "server/rpc/from_proto.h"
#include "server/rpc/stream_call.h"

namespace ladder::server {

// One PredictDomain stream: takes messages apart into groups, and writes what
// becomes of them. Reads no more while too much of what it has read waits to be
// encoded, or too many answers wait to be taken.
//
// Lives until gRPC and all of its groups have let go of it. Thread-safe.
class PredictCall final : public StreamCall {
 public:
  // What gRPC is to be given for a new stream.
  static CallReactor* Start(const RpcServices& services,
                            grpc::CallbackServerContext& context);

 private:
  class Sink;

  PredictCall(const RpcServices& services,
              grpc::CallbackServerContext& context);

  // StreamCall:
  absl::Status Accept() override;
  void EndInput() override;
  void StopWork() override;
  bool CanRead() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWorking() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsAnswered() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return groups_.empty();
  }
  bool ChooseAnswer() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SerializeAnswer(grpc::ByteBuffer& bytes) override;
  void OnAnswerTaken(uint64_t bytes) override;
  void OnCallerGone() override;

  // The group that the message is for, a new one if need be; null if its
  // messages are to be ignored. An error concerns the group.
  absl::StatusOr<std::shared_ptr<Group>> FindGroup(
      const v1::PredictDomainRequest& request);
  absl::StatusOr<std::shared_ptr<Group>> OpenGroup(
      const v1::PredictDomainRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status AddSamples(
      const std::shared_ptr<v1::PredictDomainRequest>& request, Group& group);

  // The groups call these, through their sinks:
  void Answer(v1::PredictDomainResponse response);
  bool HasRoom(const std::string& group);
  void OnSamplesTaken(const std::string& group, uint64_t bytes);
  void OnGroupEnd(const std::string& group, const absl::Status& status,
                  const GroupSummary& summary);
  void FailGroup(const std::string& group, const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void QueueAnswer(v1::PredictDomainResponse response)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  PinnedModels models_ ABSL_GUARDED_BY(mutex_);
  struct Entry {
    std::shared_ptr<Group> group;
    bool ended = false;          // Its caller has ended it.
    uint64_t untaken_bytes = 0;  // Its part of those below.
  };
  std::map<std::string, Entry> groups_ ABSL_GUARDED_BY(mutex_);
  // Groups that have failed and that their caller has not ended yet.
  std::set<std::string> failed_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> waiting_for_room_ ABSL_GUARDED_BY(mutex_);
  bool is_first_message_ ABSL_GUARDED_BY(mutex_) = true;
  bool continue_on_error_ ABSL_GUARDED_BY(mutex_) = false;

  v1::PredictDomainResponse response_;  // Being written.
  std::deque<v1::PredictDomainResponse> answers_ ABSL_GUARDED_BY(mutex_);
  MemoryBudget::Lease answer_memory_ ABSL_GUARDED_BY(mutex_);
  uint64_t answer_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t untaken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_PREDICT_CALL_H_
