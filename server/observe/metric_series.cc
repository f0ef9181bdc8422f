#include "server/observe/metric_series.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/text/text.h"

namespace ladder::server {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

std::string LabelText(absl::string_view text) {
  std::string label;
  while (!text.empty()) {
    const base::Character c = base::FirstCharacter(text);
    const absl::string_view character =
        c.num_bytes == 0 || base::IsControl(c.code)
            ? kReplacement
            : text.substr(0, c.num_bytes);
    if (label.size() + character.size() > kMaxLabelBytes) break;
    absl::StrAppend(&label, character);
    text.remove_prefix(std::max<size_t>(c.num_bytes, 1));
  }
  return label;
}

prometheus::Family<prometheus::Counter>& AddCounters(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& AddHistograms(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

prometheus::Histogram::BucketBoundaries SecondsBuckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,     1,      2.5,   5,      10,    30,   60,    300};
}

void Append(MetricFamilies more, MetricFamilies& families) {
  families.insert(families.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type,
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

prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type, double value) {
  return MakeFamily(std::move(name), std::move(help), type,
                    {LabelledValue{.labels = {}, .value = value}});
}

}  // namespace ladder::server
