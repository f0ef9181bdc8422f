#ifndef LADDER_SERVER_OBSERVE_STORE_METRICS_H_
#define LADDER_SERVER_OBSERVE_STORE_METRICS_H_

#include <span>

#include "absl/status/status.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_info.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/metric_series.h"

namespace ladder::server {

// Counts what happens in the model store. What is in it at the moment is told
// by StoreContents. Thread-safe.
class StoreMetrics final : public model_store::StoreObserver {
 public:
  StoreMetrics();

  void OnVersionState(const model_store::VersionEvent& event) override;
  void OnStoreStatus(const absl::Status& status) override;

  MetricFamilies Collect() const { return registry_.Collect(); }

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& loads_;
  prometheus::Family<prometheus::Histogram>& load_duration_;
  prometheus::Family<prometheus::Counter>& unloads_;
  prometheus::Counter& errors_;
};

// Shows what the model store serves, as ModelStore::List says it:
//   ladder_model_info{model, version, sha256}  1 for every served version
//   ladder_model_served_versions{model}        how many; 0 is an alarm
//   ladder_store_readable                      0 or 1
MetricFamilies StoreContents(const model_store::StoreInfo& store);

// The distances to the nearest source from which on a group is no longer IN,
// by served version and size of the group's sample:
//   ladder_coverage_threshold_distance{model, version, verdict, sample_size}
// with the verdicts EDGE and OUT, which groups have that lie farther away.
// Bundles hold few sizes, such as the trainer's eight; if there are more, only
// the smallest ones are shown. Versions that are not calibrated have none.
MetricFamilies CoverageThresholds(
    std::span<const model_store::ModelHandle> served);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_STORE_METRICS_H_
