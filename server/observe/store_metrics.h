#ifndef LADDER_SERVER_OBSERVE_STORE_METRICS_H_
#define LADDER_SERVER_OBSERVE_STORE_METRICS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model_store/store/store_info.h"
#include "prometheus/collectable.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/metric_family.h"
#include "prometheus/registry.h"

namespace ladder::server {

// Counts what happens in the model store. What is in it at the moment is told
// by StoreContents. Thread-safe.
class StoreMetrics final : public model_store::StoreObserver,
                           public prometheus::Collectable {
 public:
  StoreMetrics();

  void OnVersionState(const model_store::VersionEvent& event) override;
  void OnStoreStatus(const absl::Status& status) override;

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& loads_;
  prometheus::Family<prometheus::Histogram>& load_duration_;
  prometheus::Family<prometheus::Counter>& unloads_;
  prometheus::Counter& errors_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_STORE_METRICS_H_
