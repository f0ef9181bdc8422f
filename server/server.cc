#include "server/server.h"

#include <atomic>
#include <condition_variable>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/system/mutex.h"
#include "base/system/steady_time.h"
#include "base/system/threads.h"
#include "base/system/version.h"
#include "server/grpc_endpoint.h"
#include "server/observe/span_exporter.h"
#include "server/server_parts.h"

namespace ladder::server {
namespace {

// How often readiness, time limits and tokens are looked at.
constexpr absl::Duration kHousekeeping = absl::Milliseconds(200);
// How long calls that were told to end have for it.
constexpr absl::Duration kCutOff = absl::Seconds(2);

}  // namespace

// The life of a server: start, readiness, stop. Members are in the order in
// which they need each other.
class Server::Impl {
 public:
  Impl(const ServerConfig& config, std::unique_ptr<ServingObserver> spans,
       const Logger& logger)
      : config_(config),
        logger_(logger),
        observers_(config_.observe, GrpcEndpoint::RpcNames(), std::move(spans),
                   logger),
        models_(config_, observers_, logger),
        workshop_(config_, observers_.serving()),
        security_(config_.security, logger) {}

  ~Impl() {
    Stop().IgnoreError();
    stopper_.join();
  }

  absl::Status Start() {
    LADDER_RETURN_IF_ERROR(models_.Open());
    LADDER_RETURN_IF_ERROR(security_.Open());
    const auto check_ready = [this] { return CheckReady(); };
    services_.emplace(MakeRpcServices(config_, models_, workshop_, security_,
                                      observers_, check_ready));
    LADDER_ASSIGN_OR_RETURN(
        grpc_,
        GrpcEndpoint::Start(config_, {*services_, observers_.statistics()},
                            security_.Credentials()));
    http_.emplace(config_, observers_, models_, workshop_, security_, logger_);
    LADDER_RETURN_IF_ERROR(http_->Start(check_ready));
    ports_ = {.grpc = grpc_->port(),
              .http = http_->probes_port(),
              .metrics = http_->metrics_port()};
    housekeeping_.emplace(kHousekeeping, [this] { KeepHouse(); });
    return absl::OkStatus();
  }

  const Ports& ports() const { return ports_; }

  std::optional<std::string> Summary() const {
    const std::optional<std::string> models = models_.Describe();
    if (!models.has_value()) return std::nullopt;
    const ListenConfig& listen = config_.listen;
    std::string summary =
        absl::StrCat("ladder-server ", base::kVersion, " serves gRPC at ",
                     listen.grpc_address, ":", ports_.grpc,
                     security_.has_tls() ? " (TLS)" : "");
    if (listen.allow_http) {
      absl::StrAppend(&summary, ", probes at ", listen.http_address, ":",
                      ports_.http);
    }
    if (listen.allow_metrics) {
      absl::StrAppend(&summary, ", metrics at ", listen.http_address, ":",
                      ports_.metrics);
    }
    return absl::StrCat(summary, "; device ", models_.device_name(),
                        "; models: ", *models);
  }

  absl::Status CheckReady() const {
    if (stopping_) return absl::UnavailableError("the server is shutting down");
    return models_.CheckReady();
  }

  void Reload() { security_.Reload(); }

  absl::Status Stop() {
    const absl::Duration limit =
        config_.life_cycle.exit_timeout + config_.life_cycle.stop_grace;
    base::MutexLock lock(stop_mutex_);
    // On a thread of its own, since what it waits for may never come.
    if (!stopper_.joinable()) stopper_ = std::thread([this] { StopParts(); });
    const bool stopped =
        stop_changed_.wait_for(lock, base::WaitTime(limit),
                               [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                                   stop_mutex_) { return unstopped_.empty(); });
    if (stopped) return absl::OkStatus();
    return absl::DeadlineExceededError(absl::StrCat(
        "expected all work to end within ", absl::FormatDuration(limit),
        ", waited for ", unstopped_, " in vain"));
  }

 private:
  void StopParts() {
    stopping_ = true;
    models_.StopLoading();
    workshop_.admission.Close();
    if (grpc_ != nullptr) {
      grpc_->health().Stop();
      if (!workshop_.admission.WaitUntilEmpty(
              config_.life_cycle.exit_timeout)) {
        logger_.Log(LogLevel::kWarn, "calls did not finish in time",
                    {{"calls", workshop_.admission.num_calls()}});
        workshop_.calls.AbortAll(
            absl::UnavailableError("the server is shutting down"));
      }
      grpc_->Shutdown(absl::Now() + kCutOff);
    }
    NowStopping("probes");
    housekeeping_.reset();
    if (http_.has_value()) http_->Stop();
    // Work that was told to stop does so behind its calls, and uses what is
    // about to be destroyed.
    NowStopping("work behind calls");
    workshop_.calls.WaitUntilEmpty();
    NowStopping("loads of models");
    models_.Stop();
    NowStopping("");
  }

  // What is stopped next; nothing if all has.
  void NowStopping(absl::string_view what) {
    const base::MutexLock lock(stop_mutex_);
    unstopped_ = what;
    stop_changed_.notify_all();
  }

  void KeepHouse() {
    workshop_.calls.CheckTimes(base::SteadyNow());
    grpc_->health().SetServing(CheckReady().ok());
  }

  const ServerConfig config_;
  const Logger& logger_;
  Ports ports_;
  Observers observers_;
  ServedModels models_;
  Workshop workshop_;
  Security security_;
  std::optional<RpcServices> services_;
  std::unique_ptr<GrpcEndpoint> grpc_;
  std::optional<HttpServers> http_;
  std::optional<base::PeriodicThread> housekeeping_;
  base::Mutex stop_mutex_;
  std::condition_variable_any stop_changed_;
  absl::string_view unstopped_ ABSL_GUARDED_BY(stop_mutex_) = "calls in flight";
  std::thread stopper_ ABSL_GUARDED_BY(stop_mutex_);
  std::atomic<bool> stopping_ = false;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerConfig& config, const Logger& logger) {
  std::unique_ptr<ServingObserver> spans;
  if (const std::string& endpoint = config.observe.otlp_endpoint;
      !endpoint.empty()) {
    LADDER_ASSIGN_OR_RETURN(spans, MakeSpanExporter(endpoint, logger));
  }
  auto impl = std::make_unique<Impl>(config, std::move(spans), logger);
  LADDER_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const Server::Ports& Server::ports() const { return impl_->ports(); }

std::optional<std::string> Server::Summary() const { return impl_->Summary(); }

absl::Status Server::CheckReady() const { return impl_->CheckReady(); }

void Server::Reload() { impl_->Reload(); }

absl::Status Server::Stop() { return impl_->Stop(); }

}  // namespace ladder::server
