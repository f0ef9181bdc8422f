#include "server/observe/limit_metrics.h"

#include <utility>

#include "server/observe/metric_family.h"

namespace ladder::server {
namespace {

prometheus::MetricFamily Gauge(const char* name, const char* help,
                               uint64_t value) {
  return MakeFamily(name, help, prometheus::MetricType::Gauge,
                    {{.labels = {}, .value = static_cast<double>(value)}});
}

}  // namespace

LimitMetrics::LimitMetrics(LimitUses uses) : uses_(std::move(uses)) {}

std::vector<prometheus::MetricFamily> LimitMetrics::Collect() const {
  const auto& [queued, admitted, bytes] = uses_;
  return {Gauge("ladder_queue_depth_samples",
                "Samples that wait for a place in a batch.", queued.used()),
          Gauge("ladder_queue_limit_samples",
                "How many may wait: --max-queued-samples.", queued.limit),
          Gauge("ladder_admitted_requests",
                "Calls that were let in to be served and have not ended.",
                admitted.used()),
          Gauge("ladder_admitted_limit_requests",
                "How many are let in at once: --max-concurrent-streams.",
                admitted.limit),
          Gauge("ladder_in_flight_bytes", "Memory that groups in flight take.",
                bytes.used()),
          Gauge("ladder_in_flight_limit_bytes",
                "How much they may take: --max-inflight-bytes.", bytes.limit)};
}

}  // namespace ladder::server
