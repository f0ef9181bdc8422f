#ifndef LADDER_SERVER_RPC_STREAM_CALL_H_
#define LADDER_SERVER_RPC_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
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

namespace ladder::server {

// A call that takes as long as its caller likes, within limits: reads messages,
// writes the answers, keeps the time limits and sees to the end. What messages
// mean is up to the classes derived from it, by way of ReadingCall, BidiCall or
// UnaryCall.
//
// Lives until gRPC and all work for the call have let go of it. Thread-safe.
class StreamCall : public std::enable_shared_from_this<StreamCall> {
 public:
  virtual ~StreamCall() = default;

  // Ends the call if it has gone on, or has waited for its caller, for too
  // long.
  void CheckTime(absl::Time now);

  // Ends the call now.
  void Abort(absl::Status status);

 protected:
  // `rpc` is the call's name; it and `services` must outlive the call.
  StreamCall(const RpcServices& services, absl::string_view rpc,
             grpc::CallbackServerContext& context);

  // To be called once, before gRPC is given the call: lets the caller in or
  // turns it away.
  void Begin();

  // What the call does with messages.

  // Takes in the message that was read, see TakeMessage. An error ends the
  // call.
  virtual absl::Status Accept() = 0;
  // The caller will send no more messages.
  virtual void EndInput() {}
  // Stops what works for the call, which is about to end.
  virtual void StopWork() = 0;
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
  // Puts the chosen answer into `bytes`.
  virtual void SerializeAnswer(grpc::ByteBuffer& /*bytes*/) {}
  // An answer of this size was taken by the caller, or never will be.
  virtual void OnAnswerTaken(uint64_t /*bytes*/) {}
  // The caller has gone, so that nobody takes answers any more.
  virtual void OnCallerGone() {}
  // The last thing before a call ends well, for an answer that is complete only
  // then. An error ends the call instead.
  virtual absl::Status CompleteAnswer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return absl::OkStatus();
  }

  // The message that was read. Kept with its samples, hence shared.
  template <typename Request>
  absl::StatusOr<std::shared_ptr<Request>> TakeMessage() {
    auto request = std::make_shared<Request>();
    absl::Status status =
        ParseMessage(read_, services_.limits.max_message_bytes, *request);
    read_.Clear();
    LADDER_RETURN_IF_ERROR(std::move(status));
    return request;
  }

  // Decides how the call ends, unless that is decided already.
  void EndWith(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Starts whatever gRPC should do next. To be called, without the lock, after
  // every change of what the functions above say.
  void Pump();

  const RpcServices& services_;
  const std::shared_ptr<Call> call_;  // Shared with the work for it.

  mutable base::Mutex mutex_;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;  // status_ says how.
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);

  // What gRPC has done, for the classes that know which reactor this is.
  void HandleRead(bool ok);
  void HandleWrite(bool ok);
  void HandleCancel();
  void HandleDone();

 private:
  // What gRPC is to do.
  virtual void Read(grpc::ByteBuffer& bytes) = 0;
  virtual void Write(const grpc::ByteBuffer& /*bytes*/) {}
  virtual void Close(const grpc::Status& status) = 0;

  enum class Action { kNone, kRead, kWrite, kStopWork, kClose };
  Action NextAction() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  grpc::CallbackServerContext& context_;  // Gone once self_ is null.
  grpc::ByteBuffer read_;                 // Being read, or to be taken.
  grpc::ByteBuffer written_;              // Being written.
  std::shared_ptr<StreamCall> self_ ABSL_GUARDED_BY(mutex_);  // Until the end.
  absl::Time last_message_ ABSL_GUARDED_BY(mutex_);
  bool input_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool work_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool pumping_ ABSL_GUARDED_BY(mutex_) = false;
};

// A StreamCall for gRPC.
template <typename Reactor>
class ReactorCall : public Reactor, public StreamCall {
 protected:
  using StreamCall::StreamCall;

 private:
  void OnReadDone(bool ok) final { HandleRead(ok); }
  void OnCancel() final { HandleCancel(); }
  void OnDone() final { HandleDone(); }
  void Read(grpc::ByteBuffer& bytes) final { this->StartRead(&bytes); }
  void Close(const grpc::Status& status) final { this->Finish(status); }
};

// One that is answered in the end.
using ReadingCall = ReactorCall<grpc::ServerReadReactor<grpc::ByteBuffer>>;

// One that is answered while it lasts.
class BidiCall
    : public ReactorCall<
          grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>> {
 protected:
  using ReactorCall::ReactorCall;

 private:
  void OnWriteDone(bool ok) final { HandleWrite(ok); }
  void Write(const grpc::ByteBuffer& bytes) final { StartWrite(&bytes); }
};

// One with a single message, which is there from the start, and one answer in
// the end.
class UnaryCall : public grpc::ServerUnaryReactor, public StreamCall {
 protected:
  // Empties `request`.
  UnaryCall(const RpcServices& services, absl::string_view rpc,
            grpc::CallbackServerContext& context, grpc::ByteBuffer& request)
      : StreamCall(services, rpc, context) {
    request_.Swap(&request);
  }

 private:
  void OnCancel() final { HandleCancel(); }
  void OnDone() final { HandleDone(); }
  void Read(grpc::ByteBuffer& bytes) final {
    bytes.Swap(&request_);
    HandleRead(/*ok=*/!std::exchange(taken_, true));
  }
  void Close(const grpc::Status& status) final { Finish(status); }

  grpc::ByteBuffer request_;
  bool taken_ = false;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_STREAM_CALL_H_
