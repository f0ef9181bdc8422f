#include "server/observe/scraped_metric.h"

#include <utility>

#include "server/observe/metric_family.h"

namespace ladder::server {

ScrapedMetric::ScrapedMetric(std::string name, std::string help,
                             prometheus::MetricType type, Read read)
    : name_(std::move(name)),
      help_(std::move(help)),
      type_(type),
      read_(std::move(read)) {}

ScrapedMetric ScrapedMetric::DroppedLogLines(Read num_lines) {
  return {"ladder_log_lines_dropped_total",
          "Log lines lost because their reader was too slow.",
          prometheus::MetricType::Counter, std::move(num_lines)};
}

std::vector<prometheus::MetricFamily> ScrapedMetric::Collect() const {
  return {MakeFamily(name_, help_, type_, {{.labels = {}, .value = read_()}})};
}

}  // namespace ladder::server
