#include "server/rpc/unary_call.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

constexpr int kMostWaitingCalls = 64;

}  // namespace

grpc::ServerUnaryReactor* ControlQueue::Queue(
    const RpcServices& services, absl::string_view rpc,
    grpc::CallbackServerContext& context, Work work) {
  const auto call = std::make_shared<Call>(services, rpc, context);
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  absl::Status status = call->Authorize();
  if (status.ok()) status = services.admission.CheckOpen();
  if (status.ok() && !services.allow_model_control) {
    status = absl::PermissionDeniedError(
        "expected --allow-model-control, which this server runs without");
  }
  if (status.ok()) {
    status = Post([this, call, reactor, work = std::move(work)] {
      reactor->Finish(call->End(work(stop_.get_token())));
    });
  }
  if (!status.ok()) reactor->Finish(call->End(status));
  return reactor;
}

absl::Status ControlQueue::Post(std::function<void()> task) {
  if (num_waiting_.fetch_add(1) >= kMostWaitingCalls) {
    --num_waiting_;
    return absl::ResourceExhaustedError(
        absl::StrCat("expected at most ", kMostWaitingCalls,
                     " calls to wait for models to be loaded, got one more"));
  }
  const bool posted = tasks_.Post([this, task = std::move(task)] {
    task();
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
