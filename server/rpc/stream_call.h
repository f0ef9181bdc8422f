#ifndef LADDER_SERVER_RPC_STREAM_CALL_H_
#define LADDER_SERVER_RPC_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "server/rpc/call.h"
#include "server/rpc/wire.h"
#include "server/scheduling/memory_budget.h"

namespace ladder::server {

// What gRPC is given for a call. On the wire all kinds of calls are streams of
// messages both ways, and served as such nothing of them is read before it was
// asked who calls.
using CallReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// A call: lets it in, reads messages while there is memory for them, writes the
// answers, keeps the time limits and sees to the end. What messages mean is up
// to the classes derived from it.
//
// Lives until gRPC and all work for the call have let go of it. Thread-safe.
class StreamCall : public CallReactor,
                   public std::enable_shared_from_this<StreamCall> {
 public:
  ~StreamCall() override = default;

  // Ends the call if it has gone on, or has waited for its caller, for too
  // long. `now` is by base::SteadyNow.
  void CheckTime(absl::Time now);

  // Ends the call now.
  void Abort(absl::Status status);

 protected:
  // `rpc` is the call's name; it and `services` must outlive the call.
  StreamCall(const RpcServices& services, absl::string_view rpc,
             grpc::CallbackServerContext& context);

  // To be called once, before gRPC is given the call: lets the caller in or
  // turns it away.
  void Begin(Entrance entrance = Entrance::kPlace);

  // What the call does with messages.

  // Takes in the message that was read, see TakeMessage. An error ends the
  // call.
  virtual absl::Status Accept() = 0;
  // The caller will send no more messages.
  virtual void EndInput() {}
  // Stops what works for the call, which is about to fail.
  virtual void StopWork() {}
  // Whether there is room for what the next message brings.
  virtual bool CanRead() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) = 0;
  // Whether anything works for the caller, so that it is not the caller who is
  // waited for.
  virtual bool IsWorking() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) = 0;
  // Whether all that came is answered. Called after the last message.
  virtual bool IsAnswered() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) = 0;
  // Chooses the answer to be written next; false if there is none.
  virtual bool ChooseAnswer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return false;
  }
  // Puts the chosen answer into `bytes`. An error ends the call.
  virtual absl::Status SerializeAnswer(grpc::ByteBuffer& /*bytes*/) {
    return absl::OkStatus();
  }
  // An answer of this size was taken by the caller, or never will be.
  virtual void OnAnswerTaken(uint64_t /*bytes*/) {}
  // The caller has gone, so that nobody takes answers any more.
  virtual void OnCallerGone() {}
  // The last thing before a call ends well: puts an answer that is complete
  // only then, if there is one, into `bytes`. An error ends the call instead.
  virtual absl::Status CompleteAnswer(grpc::ByteBuffer& /*bytes*/)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return absl::OkStatus();
  }

  // The message that was read. Kept with its samples, hence shared; its memory
  // counts until it is freed.
  template <typename Request>
  absl::StatusOr<std::shared_ptr<Request>> TakeMessage() {
    struct Held {
      Request request;
      std::optional<MemoryBudget::Lease> memory;
    };
    const auto held = std::make_shared<Held>();
    held->memory = std::exchange(memory_, std::nullopt);
    uint64_t overhead = 0;
    absl::Status status = ParseMessage(
        read_, services_.limits.max_message_bytes, held->request, &overhead);
    read_.Clear();
    LADDER_RETURN_IF_ERROR(std::move(status));
    held->memory->Count(overhead);
    return std::shared_ptr<Request>(held, &held->request);
  }

  // Decides how the call ends, unless that is decided already.
  void EndWith(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Starts whatever gRPC should do next. To be called, without the lock, after
  // every change of what the functions above say.
  void Pump();

  const RpcServices& services_;
  const std::shared_ptr<Call> call_;  // Shared with the work for it.

  mutable base::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;  // status_ says how.
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);

 private:
  // gRPC's reactor:
  void OnReadDone(bool ok) final;
  void OnWriteDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;

  // Takes in what was read, now or when its turn has come.
  void TakeIn(MemoryBudget::Lease memory);
  void PostTakeIn(MemoryBudget::Lease memory);
  // Nothing is being read any more; `status` is how that went.
  void EndRead(const absl::Status& status);

  enum class Action { kNone, kRead, kWrite, kStopWork, kClose };
  Action NextAction() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Write();
  void Close(absl::Status status);

  grpc::CallbackServerContext& context_;       // Gone once self_ is null.
  grpc::ByteBuffer read_;                      // Being read, or to be taken.
  std::optional<MemoryBudget::Lease> memory_;  // Of what is to be taken.
  grpc::ByteBuffer written_;                   // Being written.
  std::shared_ptr<StreamCall> self_ ABSL_GUARDED_BY(mutex_);  // Until the end.
  absl::Time last_message_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_read_ ABSL_GUARDED_BY(mutex_) = false;  // It is for us to take in.
  bool input_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool work_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_STREAM_CALL_H_
