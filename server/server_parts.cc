#include "server/server_parts.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "base/system/control_group.h"

namespace ladder::server {
namespace {

using model_store::Engine;
using model_store::ModelStore;
using model_store::StoreMode;
using model_store::VersionState;

constexpr uint64_t kUntakenMessageBytes = 16 << 20;
// How often it is looked whether the engine works.
constexpr absl::Duration kEngineLooks = absl::Seconds(1);

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

Observers::Observers(const ObserveConfig& config, std::vector<std::string> rpcs,
                     std::unique_ptr<ServingObserver> spans,
                     const Logger& logger)
    : spans_(std::move(spans)),
      metrics_({.rpcs = std::move(rpcs),
                .recent_groups = {.max_groups = config.metrics_recent_groups,
                                  .expiry = config.metrics_group_expiry}}),
      access_log_(logger),
      store_log_(logger),
      serving_(ServingObservers(config)),
      store_({&store_metrics_, &store_log_}) {}

std::vector<ServingObserver*> Observers::ServingObservers(
    const ObserveConfig& config) {
  std::vector<ServingObserver*> observers = {&metrics_, &statistics_};
  if (config.access_log) observers.push_back(&access_log_);
  if (spans_ != nullptr) observers.push_back(spans_.get());
  return observers;
}

absl::Status ServedModels::Open() {
  LADDER_ASSIGN_OR_RETURN(
      engine_,
      Engine::Create(
          MakeEngineOptions(config_.engine), [this](absl::string_view message) {
            logger_.Log(LogLevel::kWarn, "ONNX Runtime", {{"says", message}});
          }));
  if (!engine_->fallback_reason().empty()) {
    logger_.Log(LogLevel::kInfo, "serving on the CPU",
                {{"reason", engine_->fallback_reason()}});
  }
  model_store::StoreOptions options = MakeStoreOptions(config_.models);
  options.observer = &observers_.store();
  LADDER_ASSIGN_OR_RETURN(
      store_, ModelStore::Open(config_.models.repository, *engine_, options));
  const bool is_explicit = config_.models.control_mode == StoreMode::kExplicit;
  at_start_ =
      is_explicit ? ModelsToLoad(config_.models, *store_) : ModelsIn(*store_);
  if (is_explicit) {
    for (const std::string& name : at_start_) LoadInBackground(name);
  }
  WatchEngine();
  return absl::OkStatus();
}

void ServedModels::WatchEngine() {
  engine_watch_.emplace(EngineWatch::Options{
      .num_failed_runs = [this] { return engine_->num_failed_runs(); },
      .served = [this] { return ServedVersions(*store_); },
      .on_change =
          [this](const absl::Status& status) {
            if (status.ok()) {
              logger_.Log(LogLevel::kInfo, "models can be run again");
            } else {
              logger_.Log(
                  LogLevel::kError, "models cannot be run",
                  {{"device", device_name()}, {"reason", status.message()}});
            }
          }});
  watching_.emplace(kEngineLooks,
                    [this] { engine_watch_->Look(stop_.get_token()); });
}

std::vector<std::string> ServedModels::MissingModels(
    const model_store::StoreInfo& info) const {
  const ModelsConfig& config = config_.models;
  const bool is_required = !config.required.empty();
  // Those named by flags are asked for even if there never was a folder.
  const bool is_named =
      is_required || config.control_mode == StoreMode::kExplicit;
  std::vector<std::string> missing;
  for (const std::string& name : is_required ? config.required : at_start_) {
    const auto model =
        std::find_if(info.models.begin(), info.models.end(),
                     [&](const auto& known) { return known.name == name; });
    const bool is_known = model != info.models.end();
    if (is_known && model->default_version != 0) continue;
    const bool was_removed =
        !is_required && num_loading_ == 0 && is_known && !model->wanted;
    if (is_known ? !was_removed : is_named) missing.push_back(name);
  }
  return missing;
}

absl::Status ServedModels::CheckReady() const {
  const model_store::StoreInfo info = store_->List();
  LADDER_RETURN_IF_ERROR(store_->CheckReady(MissingModels(info)));
  // In mode explicit it may be that nothing was asked for yet.
  if (config_.models.control_mode != StoreMode::kExplicit &&
      std::all_of(info.models.begin(), info.models.end(),
                  [](const auto& model) { return model.served.empty(); })) {
    return absl::UnavailableError(absl::StrCat(
        "not ready: no model of ", config_.models.repository, " is served"));
  }
  return engine_watch_->status();
}

void ServedModels::LoadInBackground(const std::string& name) {
  ++num_loading_;
  loading_.Post([this, name] {
    // The observers tell how it went, except for what was not begun.
    const absl::Status status =
        store_->Load(name, std::nullopt, stop_.get_token());
    if (absl::IsNotFound(status)) {
      logger_.Log(LogLevel::kError, "model cannot be loaded",
                  {{"model", name}, {"reason", status.message()}});
    }
    --num_loading_;
  });
}

std::optional<std::string> ServedModels::Describe() const {
  if (num_loading_ > 0) return std::nullopt;
  const model_store::StoreInfo info = store_->List();
  if (IsLoading(info)) return std::nullopt;
  std::vector<std::string> served;
  for (const auto& model : info.models) {
    if (model.served.empty()) continue;
    served.push_back(
        absl::StrCat(model.name, " ", absl::StrJoin(model.served, "+")));
  }
  return served.empty() ? "none" : absl::StrJoin(served, ", ");
}

void ServedModels::StopLoading() {
  stop_.request_stop();
  if (store_ != nullptr) store_->StopLoading();
}

void ServedModels::Stop() {
  StopLoading();
  loading_.Stop();
  watching_.reset();
  if (store_ != nullptr) store_->Stop();
}

Workshop::Workshop(const ServerConfig& config, ServingObserver& observer)
    : scheduler({.num_workers = config.engine.instances,
                 .max_batch_size = MaxBatchSize(config),
                 .max_delay = config.batching.max_queue_delay},
                observer),
      workers(base::GrantedCpus()),
      loops(static_cast<int>(base::GrantedCpus())),
      memory(MaxInflightBytes(config.limits, base::GrantedMemory())),
      admission({.max_calls = config.limits.max_concurrent_streams,
                 .max_calls_per_caller = config.limits.max_streams_per_client,
                 .max_waiting_samples = config.batching.max_queued_samples},
                scheduler),
      ids(std::random_device()()) {}

absl::Status Security::Open() {
  if (!config_.auth_token_file.empty()) {
    LADDER_ASSIGN_OR_RETURN(tokens_, TokenFile::Open(config_.auth_token_file));
    if (!tokens_->Warning().empty()) {
      logger_.Log(LogLevel::kWarn, tokens_->Warning());
    }
    if (config_.tls_certificate.empty()) {
      logger_.Log(LogLevel::kWarn,
                  "tokens travel as they are without --tls-certificate: put a "
                  "proxy with TLS in front");
    }
    token_reload_.emplace(config_.tls_reload_interval,
                          [this] { ReloadTokens(); });
  }
  std::vector<AddressRange> proxies;
  for (const std::string& proxy : config_.trusted_proxies) {
    LADDER_ASSIGN_OR_RETURN(proxies.emplace_back(), AddressRange::Parse(proxy));
  }
  guard_.emplace(tokens_.get(), std::move(proxies));
  if (config_.tls_certificate.empty()) return absl::OkStatus();
  LADDER_ASSIGN_OR_RETURN(
      certificates_,
      CertificateWatcher::Create(
          {.certificate_chain = config_.tls_certificate,
           .private_key = config_.tls_key,
           .client_ca = config_.tls_client_ca},
          {.interval = config_.tls_reload_interval,
           .on_change = [this](const absl::Status& status) {
             if (status.ok()) {
               logger_.Log(LogLevel::kInfo, "certificate in use");
             } else {
               logger_.Log(LogLevel::kError, "certificate stays as it was",
                           {{"reason", status.message()}});
             }
           }}));
  return absl::OkStatus();
}

void Security::ReloadTokens() {
  const absl::Status status = tokens_->Reload();
  if (status.ok()) return;
  logger_.Log(LogLevel::kError, "tokens stay as they were",
              {{"reason", status.message()}});
}

void Security::Reload() {
  if (tokens_ != nullptr) ReloadTokens();
  // The watcher's on_change tells what came of it.
  if (has_tls()) certificates_->CheckNow().IgnoreError();
}

std::shared_ptr<grpc::ServerCredentials> Security::Credentials() const {
  return has_tls() ? certificates_->Credentials()
                   : grpc::InsecureServerCredentials();
}

SecurityFigures Security::Figures() const {
  SecurityFigures figures;
  if (has_tls()) {
    figures.certificate_expires = certificates_->Expires();
    figures.num_certificate_failures = certificates_->NumFailedChecks();
  }
  if (tokens_ != nullptr) {
    figures.num_token_failures = tokens_->NumFailedReloads();
  }
  return figures;
}

RpcServices MakeRpcServices(const ServerConfig& config,
                            const ServedModels& models, Workshop& workshop,
                            const Security& security, Observers& observers,
                            std::function<absl::Status()> check_ready) {
  return {
      .store = models.store(),
      .groups = {workshop.scheduler, workshop.workers, workshop.loops,
                 workshop.memory.groups, workshop.memory.pictures,
                 observers.serving()},
      .group_limits = GroupLimitsOf(config),
      .limits = config.limits,
      .messages = workshop.memory.messages,
      // Each encoder has a message to work on, and one more waits.
      .max_untaken_bytes = kUntakenMessageBytes * (config.engine.instances + 1),
      .admission = workshop.admission,
      .calls = workshop.calls,
      .guard = security.guard(),
      .observer = observers.serving(),
      .ids = workshop.ids,
      .check_ready = std::move(check_ready),
      .allow_model_control = config.security.allow_model_control,
      .allow_label_control = config.security.allow_label_control};
}

MetricFamilies HttpServers::Collect() const {
  MetricFamilies families = observers_.Collect();
  Append(ProcessMetrics(), families);
  Append(StoreContents(models_.store().List()), families);
  Append(CoverageThresholds(ServedVersions(models_.store())), families);
  Append(LimitMetrics(
             {.queued_samples = {workshop_.scheduler.num_waiting(),
                                 config_.batching.max_queued_samples},
              .admitted_requests = {workshop_.admission.num_calls(),
                                    config_.limits.max_concurrent_streams},
              .in_flight_bytes = {workshop_.memory.used(),
                                  workshop_.memory.limit()}}),
         families);
  Append(SecurityMetrics(security_.Figures()), families);
  Append(LogMetrics(logger_.num_dropped()), families);
  return families;
}

absl::Status HttpServers::Start(std::function<absl::Status()> check_ready) {
  const ListenConfig& listen = config_.listen;
  if (listen.allow_http) {
    LADDER_RETURN_IF_ERROR(Listen("--http-port", listen.http_port,
                                  {.live = [] { return absl::OkStatus(); },
                                   .ready = std::move(check_ready)},
                                  probes_));
  }
  if (!listen.allow_metrics) return absl::OkStatus();
  return Listen("--metrics-port", listen.metrics_port,
                {.metrics = [this] { return Collect(); }}, metrics_);
}

absl::Status HttpServers::Listen(
    absl::string_view flag, int port, HttpPages pages,
    std::unique_ptr<HttpEndpoint>& endpoint) const {
  absl::StatusOr<std::unique_ptr<HttpEndpoint>> started = HttpEndpoint::Start(
      {.host = config_.listen.http_address, .port = port}, std::move(pages));
  if (!started.ok()) return base::AtPlace(flag, started.status());
  endpoint = *std::move(started);
  return absl::OkStatus();
}

void HttpServers::Stop() {
  probes_.reset();
  metrics_.reset();
}

}  // namespace ladder::server
