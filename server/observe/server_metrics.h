#ifndef LADDER_SERVER_OBSERVE_SERVER_METRICS_H_
#define LADDER_SERVER_OBSERVE_SERVER_METRICS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace ladder::server {

// What a scrape reads of the server itself: its process, its limits, its
// certificate and tokens, and its log.

// What the process takes of the machine, and which build it is:
//   ladder_process_resident_memory_bytes, ladder_process_cpu_seconds_total,
//   ladder_process_start_time_seconds, ladder_process_open_fds,
//   ladder_process_max_fds, ladder_build_info{version, compiler}
// Reads Linux' /proc/self; what cannot be read is left out. Thread-safe.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  ProcessMetrics();

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::optional<double> start_time_;  // Seconds since 1970.
};

// The resident bytes in the text of /proc/self/statm.
std::optional<double> ParseResidentBytes(absl::string_view statm,
                                         double page_bytes);

// How long after the machine's boot the process of /proc/self/stat began.
std::optional<absl::Duration> ParseStartAfterBoot(absl::string_view stat,
                                                  double ticks_per_second);

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

// Whom to ask. A function is empty if the server has no such thing. Any thread
// may call these at any time.
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

// A number that somebody else keeps, read when it is scraped. It is as
// thread-safe as `read`, which any thread may call at any time.
class ScrapedMetric final : public prometheus::Collectable {
 public:
  using Read = std::function<double()>;

  // `type` is a gauge or a counter.
  ScrapedMetric(std::string name, std::string help, prometheus::MetricType type,
                Read read);

  // ladder_log_lines_dropped_total, from Logger::num_dropped.
  static ScrapedMetric DroppedLogLines(Read num_lines);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::string name_;
  const std::string help_;
  const prometheus::MetricType type_;
  const Read read_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SERVER_METRICS_H_
