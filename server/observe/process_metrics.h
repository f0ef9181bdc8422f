#ifndef LADDER_SERVER_OBSERVE_PROCESS_METRICS_H_
#define LADDER_SERVER_OBSERVE_PROCESS_METRICS_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace ladder::server {

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

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_PROCESS_METRICS_H_
