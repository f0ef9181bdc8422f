#ifndef LADDER_SERVER_OBSERVE_LIMIT_METRICS_H_
#define LADDER_SERVER_OBSERVE_LIMIT_METRICS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ladder::server {

// How much of a limit is in use. Any thread may call `used` at any time.
struct LimitUse {
  std::function<uint64_t()> used = {};
  uint64_t limit = 0;
};

struct LimitUses {
  LimitUse queued_samples = {};
  LimitUse admitted_requests = {};
  LimitUse in_flight_bytes = {};
};

// The limits that all callers share, each beside what is in use of it at the
// moment of a scrape. So rules can compare the two, whatever the flags say:
//   ladder_queue_depth_samples, ladder_queue_limit_samples
//   ladder_admitted_requests, ladder_admitted_limit_requests
//   ladder_in_flight_bytes, ladder_in_flight_limit_bytes
// Thread-safe.
class LimitMetrics final : public prometheus::Collectable {
 public:
  explicit LimitMetrics(LimitUses uses);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const LimitUses uses_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_LIMIT_METRICS_H_
