#ifndef LADDER_SERVER_OBSERVE_SERVING_METRICS_H_
#define LADDER_SERVER_OBSERVE_SERVING_METRICS_H_

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/group_metrics.h"
#include "server/observe/metric_series.h"
#include "server/observe/serving_observer.h"

namespace ladder::server {

// Counts calls by RPC. Thread-safe.
class RpcMetrics {
 public:
  // Every RPC that is not one of `rpcs` is called "other". `registry` must
  // outlive this.
  RpcMetrics(std::span<const std::string> rpcs, prometheus::Registry& registry);

  void Started(absl::string_view rpc);
  void Ended(absl::string_view rpc, absl::StatusCode code,
             absl::Duration duration);

 private:
  struct Rpc {
    prometheus::Gauge& in_flight;
    prometheus::Histogram& duration;
    ByLabel<prometheus::Counter*> requests;  // By code.
  };

  Rpc& Find(absl::string_view rpc);

  // Filled by the constructor, and never changed: no lock is needed.
  absl::flat_hash_map<std::string, std::unique_ptr<Rpc>> rpcs_;
  std::unique_ptr<Rpc> other_;
};

struct ServingMetricsOptions {
  std::vector<std::string> rpcs = {};  // Calls of others count as "other".
  RecentGroupsOptions recent_groups = {};
};

// Counts and measures what is served, for Prometheus. Whatever is sent to the
// server, the number of series stays bounded: group names only appear in
// RecentGroups, and all other labels have values from short lists or from the
// model store.
//
// Thread-safe.
class ServingMetrics final : public ServingObserver {
 public:
  explicit ServingMetrics(ServingMetricsOptions options);

  void OnRpcStarted(absl::string_view rpc) override;
  void OnRpcEnded(absl::string_view rpc, absl::StatusCode code,
                  absl::Duration duration) override;
  void OnBatch(const BatchReport& report) override;
  void OnStage(Stage stage, absl::Duration duration) override;
  void OnImageRejected(absl::string_view reason) override;
  void OnGroup(const GroupReport& report) override;

  MetricFamilies Collect() const;

 private:
  prometheus::Registry registry_;
  RpcMetrics rpcs_;
  GroupMetrics groups_;
  RecentGroups recent_groups_;
  std::array<prometheus::Histogram*, kNumStages> stages_;  // By Stage.
  ByLabel<prometheus::Histogram*> batch_sizes_;            // By model.
  ByLabel<prometheus::Counter*> rejected_images_;          // By reason.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SERVING_METRICS_H_
