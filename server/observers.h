#ifndef LADDER_SERVER_OBSERVERS_H_
#define LADDER_SERVER_OBSERVERS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/config/server_config.h"
#include "server/inference/model_statistics.h"
#include "server/observe/event_log.h"
#include "server/observe/fan_out.h"
#include "server/observe/log.h"
#include "server/observe/server_metrics.h"
#include "server/observe/serving_metrics.h"
#include "server/observe/store_metrics.h"

namespace ladder::server {

// All that a server counts and logs.
class Observers {
 public:
  // `rpcs` are the names that calls are counted by. `logger` must outlive this.
  // `spans` may be null.
  Observers(const ObserveConfig& config, std::vector<std::string> rpcs,
            std::unique_ptr<ServingObserver> spans, const Logger& logger)
      : spans_(std::move(spans)),
        metrics_({.rpcs = std::move(rpcs),
                  .recent_groups = {.max_groups = config.metrics_recent_groups,
                                    .expiry = config.metrics_group_expiry}}),
        access_log_(logger),
        store_log_(logger),
        serving_(ServingObservers(config)),
        store_({&store_metrics_, &store_log_}) {}

  ServingObserver& serving() { return serving_; }
  InferenceStatistics& statistics() { return statistics_; }
  model_store::StoreObserver& store() { return store_; }

  // What there is to be scraped.
  std::vector<const prometheus::Collectable*> metrics() const {
    return {&metrics_, &store_metrics_, &process_metrics_};
  }

 private:
  std::vector<ServingObserver*> ServingObservers(const ObserveConfig& config) {
    std::vector<ServingObserver*> observers = {&metrics_, &statistics_};
    if (config.access_log) observers.push_back(&access_log_);
    if (spans_ != nullptr) observers.push_back(spans_.get());
    return observers;
  }

  const std::unique_ptr<ServingObserver> spans_;
  ServingMetrics metrics_;
  InferenceStatistics statistics_;
  StoreMetrics store_metrics_;
  ProcessMetrics process_metrics_;
  AccessLog access_log_;
  StoreLog store_log_;
  ServingFanOut serving_;
  StoreFanOut store_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVERS_H_
