#include "server/observe/server_metrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/files/whole_file.h"
#include "base/system/version.h"

namespace ladder::server {
namespace {

constexpr auto kGauge = prometheus::MetricType::Gauge;
constexpr auto kCounter = prometheus::MetricType::Counter;

// Adds a family of one series, unless there is no value to show.
template <typename Number>
void Add(const char* name, const char* help, prometheus::MetricType type,
         std::optional<Number> value, MetricFamilies& families) {
  if (!value) return;
  families.push_back(MakeFamily(name, help, type, static_cast<double>(*value)));
}

std::optional<double> StartTime() {
  const auto after_boot =
      ParseStartAfterBoot(base::ReadText("/proc/self/stat").value_or(""),
                          static_cast<double>(sysconf(_SC_CLK_TCK)));
  timespec since_boot = {};
  if (!after_boot || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return {};
  const absl::Time boot = absl::Now() - absl::DurationFromTimespec(since_boot);
  return absl::ToDoubleSeconds(boot + *after_boot - absl::UnixEpoch());
}

std::optional<double> CountOpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return {};
  double count = -1;  // The listing itself holds one.
  for (auto it = begin(files); it != end(files); it.increment(error)) {
    if (error) return {};
    ++count;
  }
  return count;
}

std::optional<double> MaxOpenFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return static_cast<double>(limit.rlim_cur);
}

std::optional<double> CpuSeconds() {
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return {};
  return absl::ToDoubleSeconds(absl::DurationFromTimeval(usage.ru_utime) +
                               absl::DurationFromTimeval(usage.ru_stime));
}

}  // namespace

std::optional<double> ParseResidentBytes(absl::string_view statm,
                                         double page_bytes) {
  const std::vector<absl::string_view> fields = absl::StrSplit(statm, ' ');
  double pages = 0;
  if (fields.size() < 2 || !absl::SimpleAtod(fields[1], &pages)) return {};
  return pages * page_bytes;
}

std::optional<absl::Duration> ParseStartAfterBoot(absl::string_view stat,
                                                  double ticks_per_second) {
  // The second field is the program's name in parentheses and may hold blanks
  // and parentheses itself; the start is the 22nd.
  const size_t name_end = stat.rfind(')');
  if (name_end == absl::string_view::npos) return {};
  const std::vector<absl::string_view> fields =
      absl::StrSplit(stat.substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kStart = 22 - 3;
  double ticks = 0;
  if (fields.size() <= kStart || !absl::SimpleAtod(fields[kStart], &ticks)) {
    return {};
  }
  return absl::Seconds(ticks / ticks_per_second);
}

MetricFamilies ProcessMetrics() {
  static const std::optional<double> start_time = StartTime();
  MetricFamilies families;
  Add("ladder_process_resident_memory_bytes", "Memory in use.", kGauge,
      ParseResidentBytes(base::ReadText("/proc/self/statm").value_or(""),
                         static_cast<double>(sysconf(_SC_PAGESIZE))),
      families);
  Add("ladder_process_cpu_seconds_total", "User and system time.", kCounter,
      CpuSeconds(), families);
  Add("ladder_process_start_time_seconds", "When it began, since 1970.", kGauge,
      start_time, families);
  Add("ladder_process_open_fds", "Open file descriptors.", kGauge,
      CountOpenFiles(), families);
  Add("ladder_process_max_fds", "How many may be open.", kGauge, MaxOpenFiles(),
      families);
  families.push_back(MakeFamily(
      "ladder_build_info", "The server's build.", kGauge,
      {{.labels = {{"version", base::kVersion}, {"compiler", __VERSION__}},
        .value = 1}}));
  return families;
}

MetricFamilies LimitMetrics(const LimitUses& uses) {
  const auto& [queued, admitted, bytes] = uses;
  const auto gauge = [](const char* name, const char* help, uint64_t value) {
    return MakeFamily(name, help, kGauge, static_cast<double>(value));
  };
  return {gauge("ladder_queue_depth_samples",
                "Samples that wait for a place in a batch.", queued.used),
          gauge("ladder_queue_limit_samples",
                "How many may wait: --max-queued-samples.", queued.limit),
          gauge("ladder_admitted_requests",
                "Calls that were let in to be served and have not ended.",
                admitted.used),
          gauge("ladder_admitted_limit_requests",
                "How many are let in at once: --max-concurrent-streams.",
                admitted.limit),
          gauge("ladder_in_flight_bytes", "Memory that calls in flight take.",
                bytes.used),
          gauge("ladder_in_flight_limit_bytes",
                "How much they may take: --max-inflight-bytes.", bytes.limit)};
}

MetricFamilies SecurityMetrics(const SecurityFigures& figures) {
  MetricFamilies families;
  std::optional<double> expiry;
  if (figures.certificate_expires.has_value()) {
    expiry =
        absl::ToDoubleSeconds(*figures.certificate_expires - absl::UnixEpoch());
  }
  Add("ladder_tls_certificate_expiry_timestamp_seconds",
      "When the certificate in use expires, since 1970.", kGauge, expiry,
      families);
  Add("ladder_tls_reload_failures_total",
      "Looks at the TLS files that found them unusable.", kCounter,
      figures.num_certificate_failures, families);
  Add("ladder_token_reload_failures_total",
      "Looks at the file of tokens that found it unusable.", kCounter,
      figures.num_token_failures, families);
  return families;
}

MetricFamilies LogMetrics(uint64_t num_dropped_lines) {
  return {MakeFamily("ladder_log_lines_dropped_total",
                     "Log lines lost because their reader was too slow or the "
                     "disk full.",
                     kCounter, static_cast<double>(num_dropped_lines))};
}

}  // namespace ladder::server
