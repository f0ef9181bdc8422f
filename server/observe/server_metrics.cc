#include "server/observe/server_metrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/files/whole_file.h"
#include "base/system/version.h"
#include "server/observe/metric_series.h"

namespace ladder::server {
namespace {

constexpr auto kGauge = prometheus::MetricType::Gauge;
constexpr auto kCounter = prometheus::MetricType::Counter;

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

ProcessMetrics::ProcessMetrics() : start_time_(StartTime()) {}

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&families](const char* name, const char* help,
                               prometheus::MetricType type,
                               std::optional<double> value) {
    if (value) families.push_back(MakeFamily(name, help, type, *value));
  };
  add("ladder_process_resident_memory_bytes", "Memory in use.", kGauge,
      ParseResidentBytes(base::ReadText("/proc/self/statm").value_or(""),
                         static_cast<double>(sysconf(_SC_PAGESIZE))));
  add("ladder_process_cpu_seconds_total", "User and system time.", kCounter,
      CpuSeconds());
  add("ladder_process_start_time_seconds", "When it began, since 1970.", kGauge,
      start_time_);
  add("ladder_process_open_fds", "Open file descriptors.", kGauge,
      CountOpenFiles());
  add("ladder_process_max_fds", "How many may be open.", kGauge,
      MaxOpenFiles());
  families.push_back(MakeFamily(
      "ladder_build_info", "The server's build.", kGauge,
      {{.labels = {{"version", base::kVersion}, {"compiler", __VERSION__}},
        .value = 1}}));
  return families;
}

LimitMetrics::LimitMetrics(LimitUses uses) : uses_(std::move(uses)) {}

std::vector<prometheus::MetricFamily> LimitMetrics::Collect() const {
  const auto& [queued, admitted, bytes] = uses_;
  const auto gauge = [](const char* name, const char* help, uint64_t value) {
    return MakeFamily(name, help, kGauge, static_cast<double>(value));
  };
  return {gauge("ladder_queue_depth_samples",
                "Samples that wait for a place in a batch.", queued.used()),
          gauge("ladder_queue_limit_samples",
                "How many may wait: --max-queued-samples.", queued.limit),
          gauge("ladder_admitted_requests",
                "Calls that were let in to be served and have not ended.",
                admitted.used()),
          gauge("ladder_admitted_limit_requests",
                "How many are let in at once: --max-concurrent-streams.",
                admitted.limit),
          gauge("ladder_in_flight_bytes", "Memory that groups in flight take.",
                bytes.used()),
          gauge("ladder_in_flight_limit_bytes",
                "How much they may take: --max-inflight-bytes.", bytes.limit)};
}

SecurityMetrics::SecurityMetrics(SecuritySources sources)
    : sources_(std::move(sources)) {}

std::vector<prometheus::MetricFamily> SecurityMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&families](const char* name, const char* help,
                               prometheus::MetricType type, double value) {
    families.push_back(MakeFamily(name, help, type, value));
  };
  if (sources_.certificate_expires) {
    add("ladder_tls_certificate_expiry_timestamp_seconds",
        "When the certificate in use expires, since 1970.", kGauge,
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

ScrapedMetric::ScrapedMetric(std::string name, std::string help,
                             prometheus::MetricType type, Read read)
    : name_(std::move(name)),
      help_(std::move(help)),
      type_(type),
      read_(std::move(read)) {}

ScrapedMetric ScrapedMetric::DroppedLogLines(Read num_lines) {
  return {"ladder_log_lines_dropped_total",
          "Log lines lost because their reader was too slow.", kCounter,
          std::move(num_lines)};
}

std::vector<prometheus::MetricFamily> ScrapedMetric::Collect() const {
  return {MakeFamily(name_, help_, type_, read_())};
}

}  // namespace ladder::server
