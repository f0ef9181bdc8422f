#ifndef LADDER_TRAINER_EVALUATE_METRICS_H_
#define LADDER_TRAINER_EVALUATE_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::trainer {

// The mean of at least one value.
inline double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// The truth by which predictions of a split are judged. Entry i of the first
// three is of one sample. Somebody else owns all of it.
struct LabelledSplit {
  std::span<const int64_t> labels = {};
  std::span<const int64_t> domains = {};
  std::span<const int64_t> regions = {};  // Indices into region_names, or -1.
  std::span<const std::string> region_names = {};
  size_t num_classes = 0;
};

// A view of `samples` and of `region_names`, which is Dataset::regions.
LabelledSplit SplitOf(const EncodedSamples& samples,
                      std::span<const std::string> region_names,
                      size_t num_classes);

struct MetricOptions {
  size_t min_domain_samples = 50;  // Smaller domains are filtered out.
};

// Says how good predictions of one split are. Accuracies are shares in [0, 1],
// those of several regions or domains their unweighted mean or their minimum.
struct Metrics {
  double accuracy = 0;
  // The mean F1 of the classes that occur among the labels, as WILDS has it; a
  // class that is only ever predicted costs the others precision, no more.
  double macro_f1 = 0;
  // These cover the regions that have samples, but for "Other"; they are
  // missing if there are none.
  std::optional<double> average_region = {};
  std::optional<double> worst_region = {};
  // Accuracy on data of the source domains minus `accuracy`. Takes a second
  // split, so that whoever has both sets it.
  std::optional<double> drop = {};
  // These cover the domains with enough samples; they are missing if no
  // domain has enough.
  std::optional<double> filtered_average = {};
  std::optional<double> filtered_worst = {};
  std::optional<double> filtered_zeros = {};  // How many have accuracy 0.
  double raw_worst = 0;  // Covers all domains, however small.
};

// InvalidArgument if the split has no samples, if lists differ in length or if
// a value is out of range.
absl::StatusOr<Metrics> ComputeMetrics(const LabelledSplit& split,
                                       std::span<const int64_t> predicted,
                                       const MetricOptions& options = {});

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
  absl::string_view key;    // What machines read: "macro_f1".
  absl::string_view title;  // What people read: "Macro F1".
  bool is_share;            // People read it in percent; else it is a count.
  // The field itself; none if `metrics` lacks it.
  std::optional<double> (*value)(const Metrics& metrics);
};

// Valid for ever.
const MetricInfo& InfoOf(Metric metric);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_METRICS_H_
