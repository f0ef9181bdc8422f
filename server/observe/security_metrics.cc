#include "server/observe/security_metrics.h"

#include <utility>

#include "server/observe/metric_family.h"

namespace ladder::server {

SecurityMetrics::SecurityMetrics(SecuritySources sources)
    : sources_(std::move(sources)) {}

std::vector<prometheus::MetricFamily> SecurityMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&families](const char* name, const char* help,
                               prometheus::MetricType type, double value) {
    families.push_back(
        MakeFamily(name, help, type, {{.labels = {}, .value = value}}));
  };
  constexpr auto kCounter = prometheus::MetricType::Counter;
  if (sources_.certificate_expires) {
    add("ladder_tls_certificate_expiry_timestamp_seconds",
        "When the certificate in use expires, since 1970.",
        prometheus::MetricType::Gauge,
        absl::ToDoubleSeconds(sources_.certificate_expires() -
                              absl::UnixEpoch()));
  }
  if (sources_.num_certificate_failures) {
    add("ladder_tls_reload_failures_total",
        "Looks at the TLS files that found them unusable.", kCounter,
        static_cast<double>(sources_.num_certificate_failures()));
  }
  if (sources_.num_token_failures) {
    add("ladder_token_reload_failures_total",
        "Looks at the file of tokens that found it unusable.", kCounter,
        static_cast<double>(sources_.num_token_failures()));
  }
  return families;
}

}  // namespace ladder::server
