#ifndef LADDER_SERVER_SERVER_PARTS_H_
#define LADDER_SERVER_SERVER_PARTS_H_

#include <grpcpp/security/server_credentials.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/system/threads.h"
#include "model_store/engine/engine.h"
#include "model_store/store/model_store.h"
#include "routing/thread_pool.h"
#include "server/config/server_config.h"
#include "server/engine_watch.h"
#include "server/inference/model_statistics.h"
#include "server/observe/event_log.h"
#include "server/observe/fan_out.h"
#include "server/observe/http_endpoint.h"
#include "server/observe/log.h"
#include "server/observe/server_metrics.h"
#include "server/observe/serving_metrics.h"
#include "server/observe/store_metrics.h"
#include "server/rpc/admission.h"
#include "server/rpc/call.h"
#include "server/rpc/call_registry.h"
#include "server/scheduling/encode_scheduler.h"
#include "server/scheduling/memory_budget.h"
#include "server/scheduling/worker_pool.h"
#include "server/security/call_guard.h"
#include "server/security/certificate_watcher.h"

// What a server is made of, in the order in which the parts need each other.
// Whatever a part is constructed with must outlive it.

namespace ladder::server {

// All that a server counts and logs.
class Observers {
 public:
  // `rpcs` are the names that calls are counted by. `spans` may be null.
  Observers(const ObserveConfig& config, std::vector<std::string> rpcs,
            std::unique_ptr<ServingObserver> spans, const Logger& logger);

  ServingObserver& serving() { return serving_; }
  InferenceStatistics& statistics() { return statistics_; }
  model_store::StoreObserver& store() { return store_; }

  // What they have counted.
  MetricFamilies Collect() const {
    MetricFamilies families = metrics_.Collect();
    Append(store_metrics_.Collect(), families);
    return families;
  }

 private:
  std::vector<ServingObserver*> ServingObservers(const ObserveConfig& config);

  const std::unique_ptr<ServingObserver> spans_;
  ServingMetrics metrics_;
  InferenceStatistics statistics_;
  StoreMetrics store_metrics_;
  AccessLog access_log_;
  StoreLog store_log_;
  ServingFanOut serving_;
  StoreFanOut store_;
};

// The models, and what they run on.
class ServedModels {
 public:
  ServedModels(const ServerConfig& config, Observers& observers,
               const Logger& logger)
      : config_(config), observers_(observers), logger_(logger) {}

  // Opens the store and begins to load models. To be called once, before the
  // others.
  absl::Status Open();

  model_store::ModelStore& store() const { return *store_; }
  std::string device_name() const { return engine_->device().Name(); }

  // OK if what is asked of this replica can be served: every required model
  // has a version to serve and the engine runs. Without names in the
  // configuration these are the models that there were at the start, except for
  // those removed since, and one of any name.
  absl::Status CheckReady() const;

  // "north 1+2, south 4", or "none"; no value while models are being loaded.
  std::optional<std::string> Describe() const;

  // Gives up loading, without waiting for anything.
  void StopLoading();
  // StopLoading, and returns when nothing is being loaded any more.
  void Stop();

 private:
  void LoadInBackground(const std::string& name);
  void WatchEngine();
  // The models that are asked for and, by `info`, have nothing to serve.
  std::vector<std::string> MissingModels(
      const model_store::StoreInfo& info) const;

  const ServerConfig& config_;
  Observers& observers_;
  const Logger& logger_;
  std::unique_ptr<model_store::Engine> engine_;
  std::unique_ptr<model_store::ModelStore> store_;
  std::vector<std::string> at_start_;
  std::stop_source stop_;
  // For mode kExplicit, in which the server loads models at the start:
  std::atomic<int> num_loading_ = 0;
  base::TaskQueue loading_;
  std::optional<EngineWatch> engine_watch_;
  std::optional<base::PeriodicThread> watching_;
};

// What works for calls, and what bounds the work.
struct Workshop {
  Workshop(const ServerConfig& config, ServingObserver& observer);

  EncodeScheduler scheduler;
  WorkerPool workers;
  routing::ThreadPool loops;
  MemoryBudgets memory;
  Admission admission;
  CallRegistry calls;
  RandomIds ids;
};

// Who may call, and the server's own certificate.
class Security {
 public:
  Security(const SecurityConfig& config, const Logger& logger)
      : config_(config), logger_(logger) {}

  // Reads tokens and certificates and begins to watch them. To be called once,
  // before the others.
  absl::Status Open();

  // Looks at tokens and certificates now. What cannot be used is logged, and
  // what was in use stays.
  void Reload();

  bool has_tls() const { return certificates_ != nullptr; }
  const CallGuard& guard() const { return *guard_; }
  std::shared_ptr<grpc::ServerCredentials> Credentials() const;

  // What there is to be shown of them.
  SecurityFigures Figures() const;

 private:
  void ReloadTokens();

  const SecurityConfig& config_;
  const Logger& logger_;
  std::unique_ptr<TokenFile> tokens_;
  std::optional<base::PeriodicThread> token_reload_;
  std::optional<CallGuard> guard_;
  std::unique_ptr<CertificateWatcher> certificates_;
};

// What all RPCs of a server share.
RpcServices MakeRpcServices(const ServerConfig& config,
                            const ServedModels& models, Workshop& workshop,
                            const Security& security, Observers& observers,
                            std::function<absl::Status()> check_ready);

// Probes and metrics, over HTTP.
class HttpServers {
 public:
  HttpServers(const ServerConfig& config, const Observers& observers,
              const ServedModels& models, const Workshop& workshop,
              const Security& security, const Logger& logger)
      : config_(config),
        observers_(observers),
        models_(models),
        workshop_(workshop),
        security_(security),
        logger_(logger) {}

  // Listens where the configuration says. Unavailable, with the flag, if it
  // cannot listen there.
  absl::Status Start(std::function<absl::Status()> check_ready);
  void Stop();

  // 0 for what is not served, or not any more.
  int probes_port() const { return probes_ ? probes_->port() : 0; }
  int metrics_port() const { return metrics_ ? metrics_->port() : 0; }

 private:
  MetricFamilies Collect() const;
  absl::Status Listen(absl::string_view flag, int port, HttpPages pages,
                      std::unique_ptr<HttpEndpoint>& endpoint) const;

  const ServerConfig& config_;
  const Observers& observers_;
  const ServedModels& models_;
  const Workshop& workshop_;
  const Security& security_;
  const Logger& logger_;
  std::unique_ptr<HttpEndpoint> probes_;
  std::unique_ptr<HttpEndpoint> metrics_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SERVER_PARTS_H_
