#ifndef LADDER_SERVER_RPC_UNARY_CALL_H_
#define LADDER_SERVER_RPC_UNARY_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/threads.h"
#include "server/rpc/stream_call.h"
#include "server/rpc/wire.h"

namespace ladder::server {

// A call with one message and one answer. Thread-safe.
class UnaryCall : public StreamCall {
 protected:
  using StreamCall::StreamCall;

  // Begins to work on the message, see TakeMessage. An error ends the call.
  virtual absl::Status Ask() = 0;

  // Ends the call with `message`, or with an error. Only the first time counts.
  void Answer(const google::protobuf::Message& message);
  void Answer(absl::Status error) { Abort(std::move(error)); }

 private:
  // StreamCall:
  absl::Status Accept() final;
  void EndInput() final;
  bool CanRead() const final ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !asked_;
  }
  bool IsWorking() const final ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return asked_;
  }
  bool IsAnswered() const final { return false; }  // Answer ends the call.
  absl::Status CompleteAnswer(grpc::ByteBuffer& bytes) final
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::ByteBuffer answer_ ABSL_GUARDED_BY(mutex_);
};

// A call that is answered on the spot by `Body`, which is given the request and
// the response and returns an absl::Status.
template <typename Request, typename Response, typename Body>
class QuickCall final : public UnaryCall {
 public:
  static CallReactor* Start(const RpcServices& services, absl::string_view rpc,
                            grpc::CallbackServerContext& context, Body body,
                            Entrance entrance) {
    const std::shared_ptr<QuickCall> call(
        new QuickCall(services, rpc, context, std::move(body)));
    call->Begin(entrance);
    return call.get();
  }

 private:
  QuickCall(const RpcServices& services, absl::string_view rpc,
            grpc::CallbackServerContext& context, Body body)
      : UnaryCall(services, rpc, context), body_(std::move(body)) {}

  absl::Status Ask() override {
    LADDER_ASSIGN_OR_RETURN(const auto request, TakeMessage<Request>());
    Response response;
    LADDER_RETURN_IF_ERROR(body_(*request, response));
    Answer(response);
    return absl::OkStatus();
  }

  const Body body_;
};

// Serves a call on the spot. `body` may refer to what outlives the call.
template <typename Request, typename Response, typename Body>
CallReactor* AnswerNow(const RpcServices& services, absl::string_view rpc,
                       grpc::CallbackServerContext& context, Body body,
                       Entrance entrance = Entrance::kPlace) {
  return QuickCall<Request, Response, Body>::Start(services, rpc, context,
                                                   std::move(body), entrance);
}

// What calls may do only where the server allows it.
enum class Control { kModels, kLabels };

// Where calls that change what is served wait for that to be done, one after
// the other, without keeping gRPC's threads.
//
// Thread-safe. Must outlive the calls.
class ControlQueue {
 public:
  ~ControlQueue() { Stop(); }

  // Serves a call when its turn has come, by `body`, which is given the
  // request, the response and a stop token and returns an absl::Status.
  // PermissionDenied unless calls may do so, ResourceExhausted if too many wait
  // already, Unavailable after Stop.
  template <typename Request, typename Response, typename Body>
  CallReactor* Answer(const RpcServices& services, absl::string_view rpc,
                      grpc::CallbackServerContext& context, Body body,
                      Control control = Control::kModels) {
    const std::shared_ptr<ControlCall<Request, Response, Body>> call(
        new ControlCall<Request, Response, Body>(*this, services, rpc, context,
                                                 control, std::move(body)));
    call->Begin(Entrance::kOpen);
    return call.get();
  }

  // Tells the work that is being done to stop, and waits for it and for what is
  // behind it.
  void Stop();

 private:
  template <typename Request, typename Response, typename Body>
  class ControlCall final : public UnaryCall {
   public:
    ControlCall(ControlQueue& queue, const RpcServices& services,
                absl::string_view rpc, grpc::CallbackServerContext& context,
                Control control, Body body)
        : UnaryCall(services, rpc, context),
          queue_(queue),
          control_(control),
          body_(std::move(body)) {}
    using StreamCall::Begin;

   private:
    absl::Status Ask() override {
      LADDER_RETURN_IF_ERROR(CheckAllowed(services_, control_));
      LADDER_ASSIGN_OR_RETURN(auto request, TakeMessage<Request>());
      auto self = std::static_pointer_cast<ControlCall>(shared_from_this());
      return queue_.Post([self = std::move(self), request = std::move(request)](
                             const std::stop_token& stop) {
        Response response;
        absl::Status status = self->body_(*request, response, stop);
        if (status.ok()) {
          self->UnaryCall::Answer(response);
        } else {
          self->UnaryCall::Answer(std::move(status));
        }
      });
    }

    ControlQueue& queue_;
    const Control control_;
    const Body body_;
  };

  static absl::Status CheckAllowed(const RpcServices& services,
                                   Control control);
  absl::Status Post(std::function<void(const std::stop_token&)> task);

  std::atomic<int> num_waiting_ = 0;
  std::stop_source stop_;
  base::TaskQueue tasks_;
};

struct ControlQueues {
  ControlQueue models;
  ControlQueue labels;  // Which do not wait for a load.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_UNARY_CALL_H_
