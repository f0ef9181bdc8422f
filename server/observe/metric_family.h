#ifndef LADDER_SERVER_OBSERVE_METRIC_FAMILY_H_
#define LADDER_SERVER_OBSERVE_METRIC_FAMILY_H_

#include <string>
#include <utility>
#include <vector>

#include "prometheus/client_metric.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace ladder::server {

// Metric families whose values are read when they are scraped.

struct LabelledValue {
  std::vector<prometheus::ClientMetric::Label> labels = {};
  double value = 0;
};

inline prometheus::MetricFamily MakeFamily(
    std::string name, std::string help, prometheus::MetricType type,
    const std::vector<LabelledValue>& values) {
  prometheus::MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  for (const LabelledValue& value : values) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = value.labels;
    metric.gauge.value = value.value;
    metric.counter.value = value.value;
  }
  return family;
}

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_METRIC_FAMILY_H_
