#ifndef LADDER_SERVER_OBSERVE_SERVER_METRICS_H_
#define LADDER_SERVER_OBSERVE_SERVER_METRICS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/observe/metric_series.h"

namespace ladder::server {

// A scrape shows these of the server itself: its process, its limits, its
// certificate and tokens, and its log. Thread-safe.

// Shows what the process takes of the machine, and which build it is:
//   ladder_process_resident_memory_bytes, ladder_process_cpu_seconds_total,
//   ladder_process_start_time_seconds, ladder_process_open_fds,
//   ladder_process_max_fds, ladder_build_info{version, compiler}
// Reads Linux' /proc/self; what cannot be read is left out.
MetricFamilies ProcessMetrics();

// The resident bytes in the text of /proc/self/statm.
std::optional<double> ParseResidentBytes(absl::string_view statm,
                                         double page_bytes);

// The time from the machine's boot to the start of the process whose
// /proc/self/stat this is; none if it cannot be read from it.
std::optional<absl::Duration> ParseStartAfterBoot(absl::string_view stat,
                                                  double ticks_per_second);

// How much of a limit is in use.
struct LimitUse {
  uint64_t used = 0;
  uint64_t limit = 0;
};

struct LimitUses {
  LimitUse queued_samples = {};
  LimitUse admitted_requests = {};
  LimitUse in_flight_bytes = {};
};

// The limits that all callers share, each beside what is in use of it. So rules
// can compare the two, whatever the flags say:
//   ladder_queue_depth_samples, ladder_queue_limit_samples
//   ladder_admitted_requests, ladder_admitted_limit_requests
//   ladder_in_flight_bytes, ladder_in_flight_limit_bytes
MetricFamilies LimitMetrics(const LimitUses& uses);

// The server's files, as far as it has such.
struct SecurityFigures {
  std::optional<absl::Time> certificate_expires = {};
  std::optional<uint64_t> num_certificate_failures = {};
  std::optional<uint64_t> num_token_failures = {};
};

// The certificate in use, and files that could not be taken into use. What the
// server does not have is left out, so that no rule takes it for broken:
//   ladder_tls_certificate_expiry_timestamp_seconds
//   ladder_tls_reload_failures_total, ladder_token_reload_failures_total
MetricFamilies SecurityMetrics(const SecurityFigures& figures);

// ladder_log_lines_dropped_total, which Logger::num_dropped counts.
MetricFamilies LogMetrics(uint64_t num_dropped_lines);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_SERVER_METRICS_H_
