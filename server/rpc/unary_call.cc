#include "server/rpc/unary_call.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

constexpr int kMostWaitingCalls = 64;

}  // namespace

absl::Status UnaryCall::Accept() {
  {
    const base::MutexLock lock(mutex_);
    asked_ = true;
  }
  return Ask();
}

void UnaryCall::EndInput() {
  const base::MutexLock lock(mutex_);
  EndWith(absl::InvalidArgumentError("expected a message, got none"));
}

void UnaryCall::Answer(const google::protobuf::Message& message) {
  grpc::ByteBuffer bytes;
  absl::Status status = SerializeMessage(message, bytes);
  {
    const base::MutexLock lock(mutex_);
    if (!ending_) answer_.Swap(&bytes);
    EndWith(std::move(status));
  }
  Pump();
}

absl::Status UnaryCall::CompleteAnswer(grpc::ByteBuffer& bytes) {
  bytes.Swap(&answer_);
  return absl::OkStatus();
}

absl::Status ControlQueue::CheckAllowed(const RpcServices& services,
                                        Control control) {
  const bool of_models = control == Control::kModels;
  if (of_models ? services.allow_model_control : services.allow_label_control) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "expected ",
      of_models ? "--allow-model-control" : "--allow-label-control",
      ", which this server runs without"));
}

absl::Status ControlQueue::Post(
    std::function<void(const std::stop_token&)> task) {
  if (num_waiting_.fetch_add(1) >= kMostWaitingCalls) {
    --num_waiting_;
    return absl::ResourceExhaustedError(
        absl::StrCat("expected at most ", kMostWaitingCalls,
                     " calls to wait for models to be loaded, got one more"));
  }
  const bool posted = tasks_.Post([this, task = std::move(task)] {
    task(stop_.get_token());
    --num_waiting_;
  });
  if (posted) return absl::OkStatus();
  return absl::UnavailableError("the server is shutting down");
}

void ControlQueue::Stop() {
  stop_.request_stop();
  tasks_.Stop();
}

}  // namespace ladder::server
