#include "server/rpc/infer_call.h"

#include <utility>

#include "server/rpc/cancellation.h"

namespace ladder::server {

grpc::ServerUnaryReactor* InferCall::Start(
    const RpcServices& services, grpc::CallbackServerContext& context,
    inference::ModelInferRequest& request,
    inference::ModelInferResponse& response) {
  const std::shared_ptr<InferCall> call(
      new InferCall(services, context, response));
  {
    const std::lock_guard lock(call->mutex_);
    call->self_ = call;
  }
  absl::Status status = call->call_->Authorize();
  if (status.ok()) status = call->call_->Enter();
  if (!status.ok()) {
    call->End(status);
    return call.get();
  }
  // gRPC frees the message with the call, while a batch may still be read.
  const auto own = std::make_shared<inference::ModelInferRequest>();
  own->Swap(&request);
  std::shared_ptr<InferJob> job = InferJob::Start(
      services, call->call_, own,
      [call](absl::StatusOr<inference::ModelInferResponse> answer) {
        call->End(std::move(answer));
      });
  bool cancelled = false;
  {
    const std::lock_guard lock(call->mutex_);
    call->job_ = job;
    cancelled = call->cancelled_;
  }
  if (cancelled) job->Cancel(CancellationOf(context));
  return call.get();
}

InferCall::InferCall(const RpcServices& services,
                     grpc::CallbackServerContext& context,
                     inference::ModelInferResponse& response)
    : context_(context),
      response_(response),
      call_(std::make_shared<Call>(services, "ModelInfer", context)) {}

void InferCall::End(absl::StatusOr<inference::ModelInferResponse> response) {
  if (response.ok()) response_.Swap(&*response);
  Finish(call_->End(response.status()));
}

void InferCall::OnCancel() {
  std::shared_ptr<InferJob> job;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    job = job_;
  }
  if (job != nullptr) job->Cancel(CancellationOf(context_));
}

void InferCall::OnDone() {
  std::shared_ptr<InferCall> self;
  const std::lock_guard lock(mutex_);
  self = std::move(self_);
}

}  // namespace ladder::server
