#ifndef LADDER_TESTS_SERVER_OBSERVE_EXPOSITION_H_
#define LADDER_TESTS_SERVER_OBSERVE_EXPOSITION_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/observe/metric_series.h"

namespace ladder::server {

// What a text in Prometheus' exposition format says.
struct ScrapedMetrics {
  using Labels = std::map<std::string, std::string>;

  struct Family {
    std::string help = {};
    std::string type = {};
    std::map<std::string, std::map<Labels, double>> samples = {};  // By name.
  };

  std::map<std::string, Family> families = {};

  size_t NumSamples() const;
  // The value of the sample of this very name, such as "x_seconds_count".
  std::optional<double> Find(const std::string& name,
                             const Labels& labels) const;
};

// Stricter than Prometheus: every family once, HELP before TYPE before samples,
// no sample twice, no control characters, histograms complete and cumulative.
// InvalidArgument, naming the line, otherwise.
absl::StatusOr<ScrapedMetrics> ParseExposition(absl::string_view text);

// What an HttpEndpoint would show of them; crashes if it cannot be parsed.
ScrapedMetrics Scrape(const MetricFamilies& metrics);

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_OBSERVE_EXPOSITION_H_
