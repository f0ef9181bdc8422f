#include "trainer/evaluate/metrics.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace ladder::trainer {
namespace {

// A catch-all of what belongs to no region, and so no region itself.
constexpr absl::string_view kNoRegion = "Other";

// InvalidArgument unless there are `size` values, all from `low` to `high`.
absl::Status CheckValues(absl::string_view name,
                         std::span<const int64_t> values, size_t size,
                         int64_t low, int64_t high) {
  if (values.size() != size) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected one for each of ", size,
                     " samples, got ", values.size()));
  }
  for (size_t i = 0; i < size; ++i) {
    if (values[i] < low || values[i] > high) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected ", low, " to ", high, ", got ",
                       values[i], " for sample ", i));
    }
  }
  return absl::OkStatus();
}

absl::Status Check(const LabelledSplit& split,
                   std::span<const int64_t> predicted) {
  const size_t size = split.labels.size();
  if (size == 0) {
    return absl::InvalidArgumentError("split: expected samples, got none");
  }
  const auto last_class = static_cast<int64_t>(split.num_classes) - 1;
  const auto last_region = static_cast<int64_t>(split.region_names.size()) - 1;
  absl::Status status =
      CheckValues("labels", split.labels, size, 0, last_class);
  status.Update(
      CheckValues("predicted labels", predicted, size, 0, last_class));
  status.Update(CheckValues("domains", split.domains, size, 0,
                            std::numeric_limits<int64_t>::max()));
  status.Update(CheckValues("regions", split.regions, size, -1, last_region));
  return status;
}

struct Tally {
  size_t num_samples = 0;
  size_t num_correct = 0;

  double accuracy() const {
    return static_cast<double>(num_correct) / static_cast<double>(num_samples);
  }
};

using Tallies = std::map<int64_t, Tally>;  // Keyed by group.

// Samples of group -1 are left out.
Tallies TallyGroups(const LabelledSplit& split,
                    std::span<const int64_t> predicted,
                    std::span<const int64_t> groups) {
  Tallies tallies;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] < 0) continue;
    Tally& tally = tallies[groups[i]];
    ++tally.num_samples;
    if (predicted[i] == split.labels[i]) ++tally.num_correct;
  }
  return tallies;
}

// The accuracies of the groups with at least `min_samples` samples.
std::vector<double> Accuracies(const Tallies& tallies, size_t min_samples) {
  std::vector<double> accuracies;
  for (const auto& [group, tally] : tallies) {
    if (tally.num_samples >= min_samples) {
      accuracies.push_back(tally.accuracy());
    }
  }
  return accuracies;
}

double Accuracy(const LabelledSplit& split,
                std::span<const int64_t> predicted) {
  Tally tally{.num_samples = predicted.size()};
  for (size_t i = 0; i < predicted.size(); ++i) {
    if (predicted[i] == split.labels[i]) ++tally.num_correct;
  }
  return tally.accuracy();
}

double MacroF1(const LabelledSplit& split, std::span<const int64_t> predicted) {
  std::vector<size_t> num_labels(split.num_classes);
  std::vector<size_t> num_predicted(split.num_classes);
  std::vector<size_t> num_correct(split.num_classes);
  for (size_t i = 0; i < predicted.size(); ++i) {
    ++num_labels[static_cast<size_t>(split.labels[i])];
    ++num_predicted[static_cast<size_t>(predicted[i])];
    if (predicted[i] == split.labels[i]) {
      ++num_correct[static_cast<size_t>(predicted[i])];
    }
  }
  std::vector<double> scores;
  for (size_t c = 0; c < split.num_classes; ++c) {
    if (num_labels[c] == 0) continue;
    // The harmonic mean of precision and recall, without dividing by a
    // precision of a class that was never predicted.
    scores.push_back(2 * static_cast<double>(num_correct[c]) /
                     static_cast<double>(num_labels[c] + num_predicted[c]));
  }
  return Mean(scores);
}

void AddRegions(const LabelledSplit& split, std::span<const int64_t> predicted,
                Metrics& metrics) {
  Tallies tallies = TallyGroups(split, predicted, split.regions);
  std::erase_if(tallies, [&](const auto& tally) {
    return split.region_names[static_cast<size_t>(tally.first)] == kNoRegion;
  });
  const std::vector<double> regions = Accuracies(tallies, /*min_samples=*/0);
  if (regions.empty()) return;
  metrics.average_region = Mean(regions);
  metrics.worst_region = *std::min_element(regions.begin(), regions.end());
}

void AddDomains(const LabelledSplit& split, std::span<const int64_t> predicted,
                const MetricOptions& options, Metrics& metrics) {
  const Tallies tallies = TallyGroups(split, predicted, split.domains);
  const std::vector<double> all = Accuracies(tallies, /*min_samples=*/0);
  metrics.raw_worst = *std::min_element(all.begin(), all.end());
  const std::vector<double> filtered =
      Accuracies(tallies, options.min_domain_samples);
  if (filtered.empty()) return;
  metrics.filtered_average = Mean(filtered);
  metrics.filtered_worst = *std::min_element(filtered.begin(), filtered.end());
  metrics.filtered_zeros =
      static_cast<double>(std::count(filtered.begin(), filtered.end(), 0.0));
}

using Value = std::optional<double>;

// The entries follow the order of the enum.
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

LabelledSplit SplitOf(const EncodedSamples& samples,
                      std::span<const std::string> region_names,
                      size_t num_classes) {
  return {.labels = samples.labels,
          .domains = samples.domains,
          .regions = samples.regions,
          .region_names = region_names,
          .num_classes = num_classes};
}

absl::StatusOr<Metrics> ComputeMetrics(const LabelledSplit& split,
                                       std::span<const int64_t> predicted,
                                       const MetricOptions& options) {
  LADDER_RETURN_IF_ERROR(Check(split, predicted));
  Metrics metrics;
  metrics.accuracy = Accuracy(split, predicted);
  metrics.macro_f1 = MacroF1(split, predicted);
  AddRegions(split, predicted, metrics);
  AddDomains(split, predicted, options, metrics);
  return metrics;
}

const MetricInfo& InfoOf(Metric metric) {
  return kInfos[static_cast<size_t>(metric)];
}

}  // namespace ladder::trainer
