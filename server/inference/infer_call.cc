#include "server/inference/infer_call.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

// Requests of one stream that are served at once.
constexpr size_t kMostSlots = 16;

}  // namespace

grpc::ServerUnaryReactor* InferCall::Start(const InferenceServices& services,
                                           grpc::CallbackServerContext& context,
                                           grpc::ByteBuffer& request,
                                           grpc::ByteBuffer& response) {
  const std::shared_ptr<InferCall> call(
      new InferCall(services, context, request, response));
  call->Begin();
  return call.get();
}

InferCall::InferCall(const InferenceServices& services,
                     grpc::CallbackServerContext& context,
                     grpc::ByteBuffer& request, grpc::ByteBuffer& response)
    : UnaryCall(services.rpc, "ModelInfer", context, request),
      statistics_(services.statistics),
      response_bytes_(response) {}

absl::Status InferCall::Accept() {
  LADDER_ASSIGN_OR_RETURN(auto request,
                          TakeMessage<inference::ModelInferRequest>());
  const auto self = std::static_pointer_cast<InferCall>(shared_from_this());
  std::shared_ptr<InferJob> job = InferJob::Start(
      {services_, statistics_}, StreamCall::call_, std::move(request),
      [self](absl::StatusOr<inference::ModelInferResponse> response) {
        self->Answer(std::move(response));
      });
  absl::Status status;
  {
    const base::MutexLock lock(mutex_);
    job_ = job;
    status = status_;
  }
  // The call may have been told to end before it knew of the job.
  if (!status.ok()) job->Cancel(std::move(status));
  return absl::OkStatus();
}

void InferCall::Answer(absl::StatusOr<inference::ModelInferResponse> response) {
  {
    const base::MutexLock lock(mutex_);
    if (response.ok()) {
      response_ = *std::move(response);
    } else {
      EndWith(response.status());
    }
  }
  Pump();
}

void InferCall::StopWork() {
  std::shared_ptr<InferJob> job;
  absl::Status status;
  {
    const base::MutexLock lock(mutex_);
    job = job_;
    status = status_;
  }
  if (job != nullptr) job->Cancel(std::move(status));
}

absl::Status InferCall::CompleteAnswer() {
  return SerializeMessage(*response_, response_bytes_);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>*
StreamInferCall::Start(const InferenceServices& services,
                       grpc::CallbackServerContext& context) {
  const std::shared_ptr<StreamInferCall> call(
      new StreamInferCall(services, context));
  call->Begin();
  return call.get();
}

StreamInferCall::StreamInferCall(const InferenceServices& services,
                                 grpc::CallbackServerContext& context)
    : BidiCall(services.rpc, "ModelStreamInfer", context),
      statistics_(services.statistics) {}

absl::Status StreamInferCall::Accept() {
  LADDER_ASSIGN_OR_RETURN(auto request,
                          TakeMessage<inference::ModelInferRequest>());
  Serve(std::move(request));
  return absl::OkStatus();
}

void StreamInferCall::Serve(
    std::shared_ptr<const inference::ModelInferRequest> request) {
  const auto slot = std::make_shared<Slot>();
  {
    const base::MutexLock lock(mutex_);
    if (ending_) return;
    slots_.push_back(slot);
  }
  const auto self =
      std::static_pointer_cast<StreamInferCall>(shared_from_this());
  std::shared_ptr<InferJob> job = InferJob::Start(
      {services_, statistics_}, call_, request,
      [self, slot, id = request->id()](
          absl::StatusOr<inference::ModelInferResponse> response) {
        self->Answer(*slot, id, std::move(response));
      });
  absl::Status status;
  {
    const base::MutexLock lock(mutex_);
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
    const base::MutexLock lock(mutex_);
    slot.response = std::move(answer);
  }
  Pump();
}

void StreamInferCall::StopWork() {
  std::vector<std::shared_ptr<InferJob>> jobs;
  absl::Status status;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& slot : slots_) jobs.push_back(slot->job);
    status = status_;
  }
  for (const auto& job : jobs) {
    if (job != nullptr) job->Cancel(status);
  }
}

bool StreamInferCall::CanRead() const { return slots_.size() < kMostSlots; }

bool StreamInferCall::ChooseAnswer() {
  // Those that are cancelled because the call ends are not worth an answer.
  if (ending_ || slots_.empty() || !slots_.front()->response.has_value()) {
    return false;
  }
  response_ = *std::move(slots_.front()->response);
  slots_.pop_front();
  return true;
}

void StreamInferCall::SerializeAnswer(grpc::ByteBuffer& bytes) {
  const absl::Status status = SerializeMessage(response_, bytes);
  if (!status.ok()) {
    const std::string id = response_.infer_response().id();
    response_.Clear();
    response_.set_error_message(status.ToString());
    response_.mutable_infer_response()->set_id(id);
    SerializeMessage(response_, bytes).IgnoreError();
  }
  response_.Clear();
}

}  // namespace ladder::server
