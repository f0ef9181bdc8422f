#ifndef LADDER_SERVER_OBSERVE_METRIC_SERIES_H_
#define LADDER_SERVER_OBSERVE_METRIC_SERIES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/system/mutex.h"
#include "prometheus/client_metric.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/histogram.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"
#include "prometheus/registry.h"

namespace ladder::server {

// All series for Prometheus are made of these: labels that are short and few,
// buckets, and families, whether they are counted or read at a scrape.

inline constexpr size_t kMaxLabelBytes = 128;

// `text` as the value of a label may be: UTF-8 of at most kMaxLabelBytes, cut
// between characters. U+FFFD takes the place of every control character and of
// every byte that is not UTF-8.
std::string LabelText(absl::string_view text);

// The most values that labels for models and for status codes may take.
inline constexpr size_t kMaxModels = 256;
inline constexpr size_t kMaxCodes = 32;  // There are seventeen.

// One T for every value of a label, made when the value is first seen. Spares
// the hot path the map of labels that prometheus::Family::Add wants, and bounds
// how many series there can be: beyond `max_values` all new values share the T
// of "other".
//
// Thread-safe, unless T's own use is not. Never forgets a value.
template <typename T>
class ByLabel {
 public:
  using Make = std::function<T(const std::string& value)>;

  ByLabel(size_t max_values, Make make)
      : max_values_(max_values), make_(std::move(make)) {}

  // Valid for as long as this.
  T& Get(absl::string_view value) {
    const base::MutexLock lock(mutex_);
    if (const auto it = values_.find(value); it != values_.end()) {
      return it->second;
    }
    const std::string key(values_.size() < max_values_ ? value : "other");
    const auto it = values_.find(key);
    if (it != values_.end()) return it->second;
    return values_.emplace(key, make_(LabelText(key))).first->second;
  }

 private:
  const size_t max_values_;
  const Make make_;
  base::Mutex mutex_;
  absl::node_hash_map<std::string, T> values_ ABSL_GUARDED_BY(mutex_);
};

// New families of a registry, which keeps them.
prometheus::Family<prometheus::Counter>& AddCounters(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help);
prometheus::Family<prometheus::Histogram>& AddHistograms(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help);

// The upper bounds of a histogram's buckets for times, from a routing step of a
// small group to a long stream.
prometheus::Histogram::BucketBoundaries SecondsBuckets();

using MetricFamilies = std::vector<prometheus::MetricFamily>;

// Puts `more` behind what `families` holds.
void Append(MetricFamilies more, MetricFamilies& families);

struct LabelledValue {
  std::vector<prometheus::ClientMetric::Label> labels = {};
  double value = 0;
};

// Families whose values are read when they are scraped; `type` is a gauge or a
// counter. The second has one series, without labels.
prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type,
                                    const std::vector<LabelledValue>& values);
prometheus::MetricFamily MakeFamily(std::string name, std::string help,
                                    prometheus::MetricType type, double value);

}  // namespace ladder::server

#endif  // LADDER_SERVER_OBSERVE_METRIC_SERIES_H_
