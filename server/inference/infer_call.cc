#include "server/inference/infer_call.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "server/rpc/wire.h"

namespace ladder::server {
namespace {

// Requests of one stream that are served at once.
constexpr size_t kMostSlots = 16;

// The answer to a request that failed, which the caller knows by its id.
inference::ModelStreamInferResponse ErrorAnswer(const absl::Status& status,
                                                const std::string& id) {
  inference::ModelStreamInferResponse answer;
  answer.set_error_message(absl::StrCat(absl::StatusCodeToString(status.code()),
                                        ": ", ErrorText(status.message())));
  answer.mutable_infer_response()->set_id(id);
  return answer;
}

}  // namespace

CallReactor* InferCall::Start(const InferenceServices& services,
                              grpc::CallbackServerContext& context) {
  const std::shared_ptr<InferCall> call(new InferCall(services, context));
  call->Begin();
  return call.get();
}

absl::Status InferCall::Ask() {
  LADDER_ASSIGN_OR_RETURN(auto request,
                          TakeMessage<inference::ModelInferRequest>());
  const auto self = std::static_pointer_cast<InferCall>(shared_from_this());
  std::shared_ptr<InferJob> job = InferJob::Start(
      {services_, statistics_}, call_, std::move(request),
      [self](absl::StatusOr<inference::ModelInferResponse> response) {
        if (response.ok()) {
          self->Answer(*response);
        } else {
          self->Answer(response.status());
        }
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

CallReactor* StreamInferCall::Start(const InferenceServices& services,
                                    grpc::CallbackServerContext& context) {
  const std::shared_ptr<StreamInferCall> call(
      new StreamInferCall(services, context));
  call->Begin();
  return call.get();
}

StreamInferCall::StreamInferCall(const InferenceServices& services,
                                 grpc::CallbackServerContext& context)
    : StreamCall(services.rpc, "ModelStreamInfer", context),
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
    answer = ErrorAnswer(response.status(), id);
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

absl::Status StreamInferCall::SerializeAnswer(grpc::ByteBuffer& bytes) {
  const absl::Status status = SerializeMessage(response_, bytes);
  if (!status.ok()) {
    LADDER_RETURN_IF_ERROR(SerializeMessage(
        ErrorAnswer(status, response_.infer_response().id()), bytes));
  }
  response_.Clear();
  return absl::OkStatus();
}

}  // namespace ladder::server
