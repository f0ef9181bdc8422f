#include "server/observe/store_metrics.h"

#include "absl/time/time.h"
#include "server/observe/buckets.h"

namespace ladder::server {

using model_store::VersionState;

StoreMetrics::StoreMetrics()
    : loads_(prometheus::BuildCounter()
                 .Name("ladder_model_loads_total")
                 .Help("Ended loads of model versions, by result.")
                 .Register(registry_)),
      load_duration_(prometheus::BuildHistogram()
                         .Name("ladder_model_load_duration_seconds")
                         .Help("Time to read, verify and warm a version.")
                         .Register(registry_)),
      unloads_(prometheus::BuildCounter()
                   .Name("ladder_model_unloads_total")
                   .Help("Versions whose memory was returned.")
                   .Register(registry_)),
      errors_(prometheus::BuildCounter()
                  .Name("ladder_store_errors_total")
                  .Help("How often the store's directory became unreadable.")
                  .Register(registry_)
                  .Add({})) {}

// Versions change so rarely that the families may look their metrics up.
void StoreMetrics::OnVersionState(const model_store::VersionEvent& event) {
  // From zero on, or the first failure would be missing in rates.
  auto& ok = loads_.Add({{"model", event.model}, {"result", "ok"}});
  auto& failed = loads_.Add({{"model", event.model}, {"result", "failed"}});
  if (event.from == event.to) return;
  if (event.from == VersionState::kLoading) {
    if (event.to == VersionState::kServing) {
      ok.Increment();
      load_duration_.Add({{"model", event.model}}, SecondsBuckets())
          .Observe(absl::ToDoubleSeconds(event.duration));
    } else if (event.to == VersionState::kFailed) {
      failed.Increment();
    }
  }
  if (event.to == VersionState::kUnloaded) {
    unloads_.Add({{"model", event.model}}).Increment();
  }
}

void StoreMetrics::OnStoreStatus(const absl::Status& status) {
  if (!status.ok()) errors_.Increment();
}

std::vector<prometheus::MetricFamily> StoreMetrics::Collect() const {
  return registry_.Collect();
}

}  // namespace ladder::server
