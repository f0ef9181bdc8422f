#include "trainer/evaluate/metric.h"

#include <cstddef>
#include <iterator>

namespace ladder::trainer {
namespace {

using Value = std::optional<double>;

// In the order of the enum.
constexpr MetricInfo kInfos[] = {
    {"accuracy", "Accuracy", /*is_share=*/true,
     [](const Metrics& m) { return Value(m.accuracy); }},
    {"macro_f1", "Macro F1", /*is_share=*/true,
     [](const Metrics& m) { return Value(m.macro_f1); }},
    {"average_region", "Avg. region", /*is_share=*/true,
     [](const Metrics& m) { return m.average_region; }},
    {"worst_region", "Worst region", /*is_share=*/true,
     [](const Metrics& m) { return m.worst_region; }},
    {"drop", "ID-to-test drop", /*is_share=*/true,
     [](const Metrics& m) { return m.drop; }},
    {"filtered_average", "Filt. avg.", /*is_share=*/true,
     [](const Metrics& m) { return m.filtered_average; }},
    {"filtered_worst", "Filt. worst", /*is_share=*/true,
     [](const Metrics& m) { return m.filtered_worst; }},
    {"filtered_zeros", "Filt. zeros", /*is_share=*/false,
     [](const Metrics& m) { return m.filtered_zeros; }},
    {"raw_worst", "Raw worst", /*is_share=*/true,
     [](const Metrics& m) { return Value(m.raw_worst); }},
};
static_assert(std::size(kInfos) == std::size(kAllMetrics));

}  // namespace

const MetricInfo& InfoOf(Metric metric) {
  return kInfos[static_cast<size_t>(metric)];
}

}  // namespace ladder::trainer
