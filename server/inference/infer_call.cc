#include "server/inference/infer_call.h"

#include <utility>

#include "server/rpc/cancellation.h"
#include "server/rpc/wire_message.h"

namespace ladder::server {

grpc::ServerUnaryReactor* InferCall::Start(const RpcServices& services,
                                           grpc::CallbackServerContext& context,
                                           grpc::ByteBuffer& request,
                                           grpc::ByteBuffer& response) {
  const std::shared_ptr<InferCall> call(
      new InferCall(services, context, response));
  {
    const std::lock_guard lock(call->mutex_);
    call->self_ = call;
  }
  services.calls.Add(call);
  const absl::Status status = call->Begin(request);
  if (!status.ok()) call->End(status);
  return call.get();
}

InferCall::InferCall(const RpcServices& services,
                     grpc::CallbackServerContext& context,
                     grpc::ByteBuffer& response)
    : services_(services),
      context_(context),
      response_(response),
      call_(std::make_shared<Call>(services, "ModelInfer", context)) {}

absl::Status InferCall::Begin(grpc::ByteBuffer& request) {
  absl::Status status = call_->Authorize();
  if (status.ok()) status = call_->Enter();
  if (!status.ok()) return status;
  const auto message = std::make_shared<inference::ModelInferRequest>();
  status = ParseMessage(request, services_.limits.max_message_bytes, *message);
  request.Clear();
  if (!status.ok()) return status;
  std::shared_ptr<InferJob> job = InferJob::Start(
      services_, call_, message,
      [self = shared_from_this()](
          const absl::StatusOr<inference::ModelInferResponse>& answer) {
        self->End(answer);
      });
  absl::Status aborted;
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
    aborted = aborted_;
  }
  // The call may have been told to end before it knew of the job.
  if (!aborted.ok()) job->Cancel(std::move(aborted));
  return absl::OkStatus();
}

void InferCall::End(
    const absl::StatusOr<inference::ModelInferResponse>& response) {
  absl::Status status = response.status();
  if (status.ok()) status = SerializeMessage(*response, response_);
  Finish(call_->End(status));
}

void InferCall::CheckTime(absl::Time now) {
  if (now - call_->started() > services_.limits.max_stream_time) {
    Abort(LastedTooLong(services_.limits));
  }
}

void InferCall::Abort(absl::Status status) {
  std::shared_ptr<InferJob> job;
  {
    const std::lock_guard lock(mutex_);
    aborted_.Update(status);
    job = job_;
  }
  if (job != nullptr) job->Cancel(std::move(status));
}

void InferCall::OnCancel() { Abort(CancellationOf(context_)); }

void InferCall::OnDone() {
  std::shared_ptr<InferCall> self;
  const std::lock_guard lock(mutex_);
  self = std::move(self_);
}

}  // namespace ladder::server
