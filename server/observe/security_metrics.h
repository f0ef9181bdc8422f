#ifndef LADDER_SERVER_OBSERVE_SECURITY_METRICS_H_
#define LADDER_SERVER_OBSERVE_SECURITY_METRICS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ladder::server {

// Whom to ask. Empty: the server has no such thing. Any thread may call these
// at any time.
struct SecuritySources {
  std::function<absl::Time()> certificate_expires = {};
  std::function<uint64_t()> num_certificate_failures = {};
  std::function<uint64_t()> num_token_failures = {};
};

// The certificate in use, and files that could not be taken into use. What the
// server does not have is left out, so that no rule takes it for broken:
//   ladder_tls_certificate_expiry_timestamp_seconds
//   ladder_tls_reload_failures_total, ladder_token_reload_failures_total
// Thread-safe.
class SecurityMetrics final : public prometheus::Collectable {
 public:
  explicit SecurityMetrics(SecuritySources sources);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const SecuritySources sources_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SECURITY_METRICS_H_
