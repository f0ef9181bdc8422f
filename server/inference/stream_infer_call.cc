#include "server/inference/stream_infer_call.h"

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "server/rpc/cancellation.h"
#include "server/rpc/wire_message.h"

namespace ladder::server {
namespace {

// Requests of one stream that are served at once.
constexpr size_t kMostSlots = 16;

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
StreamInferCall::Start(const RpcServices& services,
                       grpc::CallbackServerContext& context) {
  const std::shared_ptr<StreamInferCall> call(
      new StreamInferCall(services, context));
  {
    const std::lock_guard lock(call->mutex_);
    call->self_ = call;
    call->status_ = call->call_->Authorize();
    if (call->status_.ok()) call->status_ = call->call_->Enter();
  }
  services.calls.Add(call);
  call->Pump();
  return call.get();
}

StreamInferCall::StreamInferCall(const RpcServices& services,
                                 grpc::CallbackServerContext& context)
    : services_(services),
      context_(context),
      call_(std::make_shared<Call>(services, "ModelStreamInfer", context)),
      last_message_(absl::Now()) {}

void StreamInferCall::OnReadDone(bool ok) {
  const auto request = std::make_shared<inference::ModelInferRequest>();
  absl::Status status;
  if (ok) {
    status =
        ParseMessage(request_, services_.limits.max_message_bytes, *request);
  }
  request_.Clear();
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    input_over_ = !ok;
    last_message_ = absl::Now();
    status_.Update(std::move(status));
  }
  if (ok) Serve(request);
  Pump();
}

void StreamInferCall::Serve(
    std::shared_ptr<const inference::ModelInferRequest> request) {
  const auto slot = std::make_shared<Slot>();
  {
    const std::lock_guard lock(mutex_);
    if (!status_.ok()) return;
    slots_.push_back(slot);
  }
  std::shared_ptr<InferJob> job = InferJob::Start(
      services_, call_, request,
      [self = shared_from_this(), slot, id = request->id()](
          absl::StatusOr<inference::ModelInferResponse> response) {
        self->Answer(*slot, id, std::move(response));
      });
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    slot->job = job;
    status = status_;
  }
  // The stream may have ended before it knew of the job.
  if (!status.ok()) job->Cancel(std::move(status));
}

void StreamInferCall::Answer(
    Slot& slot, const std::string& id,
    absl::StatusOr<inference::ModelInferResponse> response) {
  inference::ModelStreamInferResponse answer;
  if (response.ok()) {
    answer.mutable_infer_response()->Swap(&*response);
  } else {
    answer.set_error_message(response.status().ToString());
    answer.mutable_infer_response()->set_id(id);
  }
  {
    const std::lock_guard lock(mutex_);
    slot.response = std::move(answer);
  }
  Pump();
}

void StreamInferCall::Abort(absl::Status status) {
  {
    const std::lock_guard lock(mutex_);
    status_.Update(std::move(status));
  }
  Pump();
}

void StreamInferCall::CheckTime(absl::Time now) {
  const LimitsConfig& limits = services_.limits;
  bool idle = false;
  {
    const std::lock_guard lock(mutex_);
    if (self_ == nullptr) return;  // And `context_` has gone.
    idle = ((reading_ && slots_.empty()) || writing_) &&
           now - last_message_ > limits.max_idle_time;
    // Who takes no answers will not take a status either.
    if (idle && writing_) context_.TryCancel();
  }
  if (idle) Abort(IdleTooLong(limits));
  if (now - call_->started() > limits.max_stream_time) {
    Abort(LastedTooLong(limits));
  }
}

void StreamInferCall::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    response_bytes_.Clear();
    last_message_ = absl::Now();
  }
  if (!ok) Abort(absl::CancelledError("the caller takes no more answers"));
  Pump();
}

void StreamInferCall::OnCancel() { Abort(CancellationOf(context_)); }

void StreamInferCall::OnDone() {
  std::shared_ptr<StreamInferCall> self;
  const std::lock_guard lock(mutex_);
  self = std::move(self_);
}

StreamInferCall::Action StreamInferCall::NextAction() {
  if (finished_ || writing_) {
    if (finished_ || !status_.ok()) return Action::kNone;
  } else if (!status_.ok() || (input_over_ && slots_.empty())) {
    finished_ = true;
    return Action::kFinish;
  } else if (!slots_.empty() && slots_.front()->response.has_value()) {
    response_ = *std::move(slots_.front()->response);
    slots_.pop_front();
    writing_ = true;
    return Action::kWrite;
  }
  if (!reading_ && !input_over_ && slots_.size() < kMostSlots) {
    reading_ = true;
    return Action::kRead;
  }
  return Action::kNone;
}

void StreamInferCall::Write() {
  const absl::Status status = SerializeMessage(response_, response_bytes_);
  if (!status.ok()) {
    const std::string id = response_.infer_response().id();
    response_.Clear();
    response_.set_error_message(status.ToString());
    response_.mutable_infer_response()->set_id(id);
    SerializeMessage(response_, response_bytes_).IgnoreError();
  }
  response_.Clear();
  StartWrite(&response_bytes_);
}

void StreamInferCall::Pump() {
  const std::shared_ptr<StreamInferCall> self = shared_from_this();
  std::unique_lock lock(mutex_);
  if (std::exchange(pumping_, true)) return;
  for (;;) {
    const Action action = NextAction();
    if (action == Action::kNone) break;
    const absl::Status status = status_;
    std::vector<std::shared_ptr<InferJob>> jobs;
    if (action == Action::kFinish) {
      for (const auto& slot : slots_) jobs.push_back(slot->job);
    }
    lock.unlock();
    switch (action) {
      case Action::kRead:
        StartRead(&request_);
        break;
      case Action::kWrite:
        Write();
        break;
      case Action::kFinish:
        for (const auto& job : jobs) {
          if (job != nullptr) job->Cancel(status);
        }
        Finish(call_->End(status));
        break;
      case Action::kNone:
        break;
    }
    lock.lock();
  }
  pumping_ = false;
}

}  // namespace ladder::server
