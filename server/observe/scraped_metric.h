#ifndef LADDER_SERVER_OBSERVE_SCRAPED_METRIC_H_
#define LADDER_SERVER_OBSERVE_SCRAPED_METRIC_H_

#include <functional>
#include <string>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace ladder::server {

// A number that somebody else keeps, read when it is scraped. As thread-safe as
// `read`, which any thread may call at any time.
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

#endif  // LADDER_SERVER_OBSERVE_SCRAPED_METRIC_H_
