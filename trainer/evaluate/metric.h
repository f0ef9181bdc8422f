#ifndef LADDER_TRAINER_EVALUATE_METRIC_H_
#define LADDER_TRAINER_EVALUATE_METRIC_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "trainer/evaluate/metrics.h"

namespace ladder::trainer {

// The fields of Metrics, for whoever treats all of them alike, in the order in
// which reports have them.
enum class Metric {
  kAccuracy,
  kMacroF1,
  kAverageRegion,
  kWorstRegion,
  kDrop,
  kFilteredAverage,
  kFilteredWorst,
  kFilteredZeros,
  kRawWorst,
};

inline constexpr Metric kAllMetrics[] = {
    Metric::kAccuracy,      Metric::kMacroF1,       Metric::kAverageRegion,
    Metric::kWorstRegion,   Metric::kDrop,          Metric::kFilteredAverage,
    Metric::kFilteredWorst, Metric::kFilteredZeros, Metric::kRawWorst,
};

struct MetricInfo {
  absl::string_view key;    // For machines: "macro_f1".
  absl::string_view title;  // For people: "Macro F1".
  bool is_share;            // People read it in percent; else it is a count.
  // The field itself; none if `metrics` lacks it.
  std::optional<double> (*value)(const Metrics& metrics);
};

// Valid for ever.
const MetricInfo& InfoOf(Metric metric);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_METRIC_H_
