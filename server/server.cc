#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/system/cpu_quota.h"
#include "base/system/granted_memory.h"
#include "base/system/periodic_thread.h"
#include "base/system/version.h"
#include "model_store/engine/engine.h"
#include "model_store/store/model_store.h"
#include "routing/thread_pool.h"
#include "server/config/server_config.h"
#include "server/grpc_endpoint.h"
#include "server/observe/http_endpoint.h"
#include "server/observe/server_metrics.h"
#include "server/observe/span_exporter.h"
#include "server/observe/store_metrics.h"
#include "server/observers.h"
#include "server/security/call_guard.h"
#include "server/security/certificate_watcher.h"

namespace ladder::server {
namespace {

constexpr uint64_t kUntakenMessageBytes = 16 << 20;

using model_store::Engine;
using model_store::ModelStore;
using model_store::StoreMode;
using model_store::VersionState;

// How often readiness, time limits and tokens are looked at.
constexpr absl::Duration kHousekeeping = absl::Milliseconds(200);
// For calls that were told to end to do so.
constexpr absl::Duration kCutOff = absl::Seconds(2);

std::vector<std::string> ModelsIn(const ModelStore& store) {
  std::vector<std::string> names;
  for (const auto& model : store.List().models) names.push_back(model.name);
  return names;
}

// The models that are to be loaded at the start in mode kExplicit.
std::vector<std::string> ModelsToLoad(const ModelsConfig& config,
                                      const ModelStore& store) {
  const bool every = std::find(config.load.begin(), config.load.end(),
                               ModelsConfig::kEveryModel) != config.load.end();
  return every ? ModelsIn(store) : config.load;
}

std::vector<std::string> RequiredModels(const ModelsConfig& config,
                                        const ModelStore& store) {
  if (!config.required.empty()) return config.required;
  return config.control_mode == StoreMode::kExplicit
             ? ModelsToLoad(config, store)
             : ModelsIn(store);
}

std::string ServedModels(const model_store::StoreInfo& info) {
  std::vector<std::string> served;
  for (const auto& model : info.models) {
    if (model.served.empty()) continue;
    served.push_back(
        absl::StrCat(model.name, " ", absl::StrJoin(model.served, "+")));
  }
  return served.empty() ? "none" : absl::StrJoin(served, ", ");
}

std::vector<model_store::ModelHandle> ServedVersions(const ModelStore& store) {
  std::vector<model_store::ModelHandle> handles;
  for (const auto& model : store.List().models) {
    for (const uint64_t version : model.served) {
      auto handle = store.GetVersion(model.name, version);
      if (handle.ok()) handles.push_back(*std::move(handle));  // Else retired.
    }
  }
  return handles;
}

bool IsLoading(const model_store::StoreInfo& info) {
  for (const auto& model : info.models) {
    for (const auto& version : model.versions) {
      if (version.waiting || version.state == VersionState::kLoading) {
        return true;
      }
    }
  }
  return false;
}

GroupLimits GroupLimitsOf(const ServerConfig& config) {
  return {.max_samples = config.limits.max_group_samples,
          .max_bytes = config.limits.max_group_bytes,
          .images = {.max_pixels =
                         static_cast<int64_t>(config.limits.max_image_pixels)},
          .fixed_head_rows =
              config.engine.deterministic ? MaxBatchSize(config) : 0};
}

}  // namespace

// Members are in the order in which they need each other.
class Server::Impl {
 public:
  Impl(const ServerConfig& config, std::unique_ptr<ServingObserver> spans,
       const Logger& logger)
      : config_(config),
        logger_(logger),
        observers_(config.observe, GrpcEndpoint::RpcNames(), std::move(spans),
                   logger),
        scheduler_({.num_workers = config.engine.instances,
                    .max_batch_size = MaxBatchSize(config),
                    .max_delay = config.batching.max_queue_delay},
                   observers_.serving()),
        workers_(base::GrantedCpus()),
        loops_(static_cast<int>(base::GrantedCpus())),
        memory_(MaxInflightBytes(config.limits, base::GrantedMemory())),
        admission_({.max_calls = config.limits.max_concurrent_streams,
                    .max_waiting_samples = config.batching.max_queued_samples},
                   scheduler_),
        ids_(std::random_device()()) {}

  ~Impl() { Stop(); }

  absl::Status Start() {
    absl::Status status = OpenStore();
    if (status.ok()) status = OpenSecurity();
    if (status.ok()) status = Listen();
    if (!status.ok()) return status;
    housekeeping_.emplace(kHousekeeping, [this] { KeepHouse(); });
    return absl::OkStatus();
  }

  const Ports& ports() const { return ports_; }

  std::optional<std::string> Summary() const {
    if (num_loading_ > 0) return std::nullopt;
    const model_store::StoreInfo info = store_->List();
    if (IsLoading(info)) return std::nullopt;
    const ListenConfig& listen = config_.listen;
    std::string summary =
        absl::StrCat("ladder-server ", base::kVersion, " serves gRPC at ",
                     listen.grpc_address, ":", ports_.grpc,
                     certificates_ == nullptr ? "" : " (TLS)");
    if (listen.allow_http) {
      absl::StrAppend(&summary, ", probes at ", listen.http_address, ":",
                      ports_.http);
    }
    if (listen.allow_metrics) {
      absl::StrAppend(&summary, ", metrics at ", listen.http_address, ":",
                      ports_.metrics);
    }
    return absl::StrCat(summary, "; device ", engine_->device().Name(),
                        "; models: ", ServedModels(info));
  }

  absl::Status CheckReady() const {
    if (stopping_) return absl::UnavailableError("the server is shutting down");
    return store_->CheckReady(required_);
  }

  void Stop() {
    const std::lock_guard lock(stop_mutex_);
    if (stopped_) return;
    stopped_ = true;
    stopping_ = true;
    loading_stop_.request_stop();
    loading_.Stop();
    admission_.Close();
    if (grpc_ != nullptr) {
      grpc_->StopServing();
      if (!admission_.WaitUntilEmpty(absl::Now() +
                                     config_.life_cycle.exit_timeout)) {
        logger_.Log(LogLevel::kWarn, "calls did not finish in time",
                    {{"calls", admission_.num_calls()}});
        calls_.AbortAll(absl::UnavailableError("the server is shutting down"));
      }
      grpc_->Shutdown(absl::Now() + kCutOff);
    }
    housekeeping_.reset();
    http_.reset();
    metrics_.reset();
    // Work that was told to stop does so behind its calls, and uses what is
    // about to be destroyed.
    calls_.WaitUntilEmpty();
  }

 private:
  absl::Status OpenStore() {
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(
        MakeEngineOptions(config_.engine), [this](absl::string_view message) {
          logger_.Log(LogLevel::kWarn, "ONNX Runtime", {{"says", message}});
        });
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    if (!engine_->fallback_reason().empty()) {
      logger_.Log(LogLevel::kInfo, "serving on the CPU",
                  {{"reason", engine_->fallback_reason()}});
    }
    model_store::StoreOptions options = MakeStoreOptions(config_.models);
    options.observer = &observers_.store();
    absl::StatusOr<std::unique_ptr<ModelStore>> store =
        ModelStore::Open(config_.models.repository, *engine_, options);
    if (!store.ok()) return store.status();
    store_ = *std::move(store);
    required_ = RequiredModels(config_.models, *store_);
    if (config_.models.control_mode == StoreMode::kExplicit) {
      for (const std::string& name : ModelsToLoad(config_.models, *store_)) {
        ++num_loading_;
        loading_.Post([this, name] {
          // The observers tell how it went, except for what was not begun.
          const absl::Status status =
              store_->Load(name, std::nullopt, loading_stop_.get_token());
          if (absl::IsNotFound(status)) {
            logger_.Log(LogLevel::kError, "model cannot be loaded",
                        {{"model", name}, {"reason", status.message()}});
          }
          --num_loading_;
        });
      }
    }
    return absl::OkStatus();
  }

  absl::Status OpenSecurity() {
    const SecurityConfig& security = config_.security;
    if (!security.auth_token_file.empty()) {
      absl::StatusOr<std::unique_ptr<TokenFile>> tokens =
          TokenFile::Open(security.auth_token_file);
      if (!tokens.ok()) return tokens.status();
      tokens_ = *std::move(tokens);
      if (!tokens_->Warning().empty()) {
        logger_.Log(LogLevel::kWarn, tokens_->Warning());
      }
      token_reload_.emplace(security.tls_reload_interval, [this] {
        const absl::Status status = tokens_->Reload();
        if (!status.ok()) {
          logger_.Log(LogLevel::kError, "tokens stay as they were",
                      {{"reason", status.message()}});
        }
      });
    }
    guard_.emplace(tokens_.get());
    if (security.tls_certificate.empty()) return absl::OkStatus();
    absl::StatusOr<std::unique_ptr<CertificateWatcher>> certificates =
        CertificateWatcher::Create(
            {.certificate_chain = security.tls_certificate,
             .private_key = security.tls_key,
             .client_ca = security.tls_client_ca},
            {.interval = security.tls_reload_interval,
             .on_change = [this](const absl::Status& status) {
               if (status.ok()) {
                 logger_.Log(LogLevel::kInfo, "certificate in use");
               } else {
                 logger_.Log(LogLevel::kError, "certificate stays as it was",
                             {{"reason", status.message()}});
               }
             }});
    if (!certificates.ok()) return certificates.status();
    certificates_ = *std::move(certificates);
    return absl::OkStatus();
  }

  absl::Status Listen() {
    services_.emplace(RpcServices{
        .store = *store_,
        .groups = {scheduler_, workers_, loops_, memory_, observers_.serving()},
        .group_limits = GroupLimitsOf(config_),
        .limits = config_.limits,
        // Each encoder has a message to work on, and one more waits.
        .max_untaken_bytes =
            kUntakenMessageBytes * (config_.engine.instances + 1),
        .admission = admission_,
        .calls = calls_,
        .guard = *guard_,
        .observer = observers_.serving(),
        .ids = ids_,
        .check_ready = [this] { return CheckReady(); },
        .allow_model_control = config_.security.allow_model_control});
    absl::StatusOr<std::unique_ptr<GrpcEndpoint>> grpc = GrpcEndpoint::Start(
        config_, {*services_, observers_.statistics()},
        certificates_ == nullptr ? grpc::InsecureServerCredentials()
                                 : certificates_->Credentials());
    if (!grpc.ok()) return grpc.status();
    grpc_ = *std::move(grpc);
    ports_.grpc = grpc_->port();
    absl::Status status = ListenHttp("--http-port", config_.listen.allow_http,
                                     config_.listen.http_port,
                                     {.live = [] { return absl::OkStatus(); },
                                      .ready = [this] { return CheckReady(); }},
                                     http_, ports_.http);
    if (!status.ok()) return status;
    contents_.emplace([this] { return store_->List(); });
    thresholds_.emplace([this] { return ServedVersions(*store_); });
    limits_.emplace(LimitUses{
        .queued_samples = {.used = [this] { return scheduler_.num_waiting(); },
                           .limit = config_.batching.max_queued_samples},
        .admitted_requests = {.used = [this] { return admission_.num_calls(); },
                              .limit = config_.limits.max_concurrent_streams},
        .in_flight_bytes = {.used = [this] { return memory_.used(); },
                            .limit = memory_.limit()}});
    security_.emplace(SourcesOfSecurity());
    dropped_lines_.emplace(ScrapedMetric::DroppedLogLines(
        [this] { return static_cast<double>(logger_.num_dropped()); }));
    HttpPages pages;
    pages.metrics = observers_.metrics();
    pages.metrics.insert(
        pages.metrics.end(),
        {&*contents_, &*thresholds_, &*limits_, &*security_, &*dropped_lines_});
    return ListenHttp("--metrics-port", config_.listen.allow_metrics,
                      config_.listen.metrics_port, std::move(pages), metrics_,
                      ports_.metrics);
  }

  SecuritySources SourcesOfSecurity() const {
    SecuritySources sources;
    if (certificates_ != nullptr) {
      sources.certificate_expires = [this] { return certificates_->Expires(); };
      sources.num_certificate_failures = [this] {
        return certificates_->NumFailedChecks();
      };
    }
    if (tokens_ != nullptr) {
      sources.num_token_failures = [this] {
        return tokens_->NumFailedReloads();
      };
    }
    return sources;
  }

  absl::Status ListenHttp(absl::string_view flag, bool allowed, int port,
                          HttpPages pages,
                          std::unique_ptr<HttpEndpoint>& endpoint,
                          int& bound_port) {
    if (!allowed) return absl::OkStatus();
    absl::StatusOr<std::unique_ptr<HttpEndpoint>> started = HttpEndpoint::Start(
        {.host = config_.listen.http_address, .port = port}, std::move(pages));
    if (!started.ok()) {
      return absl::Status(started.status().code(),
                          absl::StrCat(flag, ": ", started.status().message()));
    }
    endpoint = *std::move(started);
    bound_port = endpoint->port();
    return absl::OkStatus();
  }

  void KeepHouse() {
    calls_.CheckTimes(absl::Now());
    grpc_->SetServing(CheckReady().ok());
  }

  const ServerConfig config_;
  const Logger& logger_;
  Ports ports_;
  Observers observers_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ModelStore> store_;
  std::vector<std::string> required_;
  EncodeScheduler scheduler_;
  WorkerPool workers_;
  routing::ThreadPool loops_;
  MemoryBudget memory_;
  Admission admission_;
  CallRegistry calls_;
  base::RandomIds ids_;
  std::unique_ptr<TokenFile> tokens_;
  std::optional<base::PeriodicThread> token_reload_;
  std::optional<CallGuard> guard_;
  std::unique_ptr<CertificateWatcher> certificates_;
  std::optional<RpcServices> services_;
  std::unique_ptr<GrpcEndpoint> grpc_;
  std::optional<StoreContents> contents_;
  std::optional<CoverageThresholds> thresholds_;
  std::optional<LimitMetrics> limits_;
  std::optional<SecurityMetrics> security_;
  std::optional<ScrapedMetric> dropped_lines_;
  std::unique_ptr<HttpEndpoint> http_;
  std::unique_ptr<HttpEndpoint> metrics_;
  std::optional<base::PeriodicThread> housekeeping_;
  std::mutex stop_mutex_;
  bool stopped_ = false;  // Guarded by stop_mutex_.
  std::atomic<bool> stopping_ = false;
  // Loads models at the start, in mode kExplicit.
  std::atomic<int> num_loading_ = 0;
  std::stop_source loading_stop_;
  base::TaskQueue loading_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerConfig& config, const Logger& logger) {
  std::unique_ptr<ServingObserver> spans;
  if (const std::string& endpoint = config.observe.otlp_endpoint;
      !endpoint.empty()) {
    absl::StatusOr<std::unique_ptr<ServingObserver>> exporter =
        MakeSpanExporter(endpoint, logger);
    if (!exporter.ok()) return exporter.status();
    spans = *std::move(exporter);
  }
  auto impl = std::make_unique<Impl>(config, std::move(spans), logger);
  absl::Status status = impl->Start();
  if (!status.ok()) return status;
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

const Server::Ports& Server::ports() const { return impl_->ports(); }

std::optional<std::string> Server::Summary() const { return impl_->Summary(); }

absl::Status Server::CheckReady() const { return impl_->CheckReady(); }

void Server::Stop() { impl_->Stop(); }

}  // namespace ladder::server
