#include "server/rpc/health.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/rpc/stream_call.h"
#include "server/rpc/unary_call.h"

namespace ladder::server {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr size_t kMostWatchers = 1024;
constexpr size_t kMostWatchersPerClient = 64;

std::string PathOf(const std::string& method) {
  return absl::StrCat(
      "/", HealthCheckRequest::descriptor()->file()->service(0)->full_name(),
      "/", method);
}

}  // namespace

// One Watch stream: the status, and again whenever it has changed.
class Health::WatchCall final : public StreamCall {
 public:
  static CallReactor* Start(Health& health, const RpcServices& services,
                            grpc::CallbackServerContext& context) {
    const std::shared_ptr<WatchCall> call(
        new WatchCall(health, services, context));
    const std::string client = services.guard.ClientOf(context);
    const absl::Status status = health.Enter(call, client);
    if (status.ok()) call->client_ = client;
    call->Begin(Entrance::kAnybody);
    if (!status.ok()) call->Abort(status);
    return call.get();
  }
  ~WatchCall() override {
    if (client_.has_value()) health_.Leave(*client_);
  }

  void Look() { Pump(); }

 private:
  WatchCall(Health& health, const RpcServices& services,
            grpc::CallbackServerContext& context)
      : StreamCall(services, "Watch", context), health_(health) {}

  absl::Status Accept() override {
    LADDER_ASSIGN_OR_RETURN(const auto request,
                            TakeMessage<HealthCheckRequest>());
    const base::MutexLock lock(mutex_);
    service_ = request->service();
    return absl::OkStatus();
  }
  void EndInput() override {
    const base::MutexLock lock(mutex_);
    if (service_.has_value()) return;
    EndWith(absl::InvalidArgumentError("expected a message, got none"));
  }
  bool CanRead() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return true;
  }
  bool IsWorking() const override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return service_.has_value();
  }
  bool IsAnswered() const override { return false; }
  bool ChooseAnswer() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (ending_ || !service_.has_value()) return false;
    const Status status = health_.StatusOf(*service_);
    return std::exchange(told_, status) != status;
  }
  absl::Status SerializeAnswer(grpc::ByteBuffer& bytes) override {
    HealthCheckResponse response;
    {
      const base::MutexLock lock(mutex_);
      response.set_status(*told_);
    }
    return SerializeMessage(response, bytes);
  }

  Health& health_;
  std::optional<std::string> client_;  // None if it was not let in.
  std::optional<std::string> service_ ABSL_GUARDED_BY(mutex_);
  std::optional<Status> told_ ABSL_GUARDED_BY(mutex_);
};

Health::Health(std::vector<std::string> services)
    : services_(services.begin(), services.end()) {}

void Health::AddTo(const RpcServices& services, CallTable& table) {
  table[PathOf("Check")] = [this,
                            &services](grpc::CallbackServerContext& context) {
    return AnswerNow<HealthCheckRequest, HealthCheckResponse>(
        services, "Check", context,
        [this](const auto& request, auto& response) -> absl::Status {
          const Status status = StatusOf(request.service());
          if (status == HealthCheckResponse::SERVICE_UNKNOWN) {
            return absl::NotFoundError("unknown service");
          }
          response.set_status(status);
          return absl::OkStatus();
        },
        Entrance::kAnybody);
  };
  table[PathOf("Watch")] = [this,
                            &services](grpc::CallbackServerContext& context) {
    return WatchCall::Start(*this, services, context);
  };
}

Health::Status Health::StatusOf(const std::string& service) const {
  if (service == kLive) return HealthCheckResponse::SERVING;
  if (!service.empty() && !services_.contains(service)) {
    return HealthCheckResponse::SERVICE_UNKNOWN;
  }
  const base::MutexLock lock(mutex_);
  return serving_ ? HealthCheckResponse::SERVING
                  : HealthCheckResponse::NOT_SERVING;
}

void Health::SetServing(bool serving) { Change(serving, /*stop=*/false); }

void Health::Stop() { Change(/*serving=*/false, /*stop=*/true); }

void Health::Change(bool serving, bool stop) {
  std::vector<std::shared_ptr<WatchCall>> watchers;
  {
    const base::MutexLock lock(mutex_);
    stopped_ = stopped_ || stop;
    serving = serving && !stopped_;
    if (std::exchange(serving_, serving) == serving) return;
    for (const auto& watcher : watchers_) {
      if (auto held = watcher.lock()) watchers.push_back(std::move(held));
    }
  }
  for (const auto& watcher : watchers) watcher->Look();
}

absl::Status Health::Enter(const std::shared_ptr<WatchCall>& call,
                           const std::string& client) {
  const base::MutexLock lock(mutex_);
  std::erase_if(watchers_, [](const auto& w) { return w.expired(); });
  if (watchers_.size() >= kMostWatchers) {
    return absl::ResourceExhaustedError(
        absl::StrCat("expected at most ", kMostWatchers,
                     " streams that watch health, one more came"));
  }
  size_t& num_watchers = num_watchers_[client];
  if (num_watchers >= kMostWatchersPerClient) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "expected at most ", kMostWatchersPerClient,
        " streams that watch health of one client, one more came"));
  }
  ++num_watchers;
  watchers_.push_back(call);
  return absl::OkStatus();
}

void Health::Leave(const std::string& client) {
  const base::MutexLock lock(mutex_);
  if (--num_watchers_[client] == 0) num_watchers_.erase(client);
}

}  // namespace ladder::server
