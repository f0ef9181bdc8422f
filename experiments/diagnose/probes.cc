#include "experiments/diagnose/probes.h"

#include <ATen/Parallel.h>

#include <map>
#include <span>
#include <vector>

#include "base/status_macros.h"
#include "experiments/diagnose/source_samples.h"
#include "routing/check_matrix.h"
#include "routing/counter_rng.h"

namespace ladder::experiments {
namespace {

constexpr size_t kMaxSamplesPerSource = 4096;
constexpr size_t kMinSourcesPerClass = 3;
constexpr size_t kMinSamplesPerClassAndSource = 20;

// Independent seeds that stem from one.
enum SeedUse : uint64_t { kSubsample, kDomain, kLabel, kGivenClass };

using Rows = std::vector<size_t>;

std::vector<int64_t> Take(const std::vector<int64_t>& values,
                          const Rows& rows) {
  std::vector<int64_t> taken;
  taken.reserve(rows.size());
  for (const size_t row : rows) taken.push_back(values[row]);
  return taken;
}

Rows Subsample(const std::vector<Rows>& rows_by_source, uint64_t seed) {
  Rows drawn;
  for (size_t source = 0; source < rows_by_source.size(); ++source) {
    const Rows& rows = rows_by_source[source];
    for (const size_t i :
         routing::SampleIndices(rows.size(), kMaxSamplesPerSource,
                                routing::CounterRng(seed).Bits(source))) {
      drawn.push_back(rows[i]);
    }
  }
  return drawn;
}

// The rows of every eligible class that are of sources with enough of them.
std::map<int64_t, Rows> EligibleClasses(const trainer::EncodedSamples& samples,
                                        const Rows& rows) {
  std::map<int64_t, std::map<int64_t, Rows>> cells;
  for (const size_t row : rows) {
    cells[samples.labels[row]][samples.domains[row]].push_back(row);
  }
  std::map<int64_t, Rows> eligible;
  for (const auto& [label, by_source] : cells) {
    Rows enough;
    size_t num_sources = 0;
    for (const auto& [source, of_cell] : by_source) {
      if (of_cell.size() < kMinSamplesPerClassAndSource) continue;
      ++num_sources;
      enough.insert(enough.end(), of_cell.begin(), of_cell.end());
    }
    if (num_sources >= kMinSourcesPerClass) eligible[label] = enough;
  }
  return eligible;
}

absl::StatusOr<std::vector<ProbePair>> RunAll(
    const trainer::EncodedSamples& samples, std::span<const ProbeTask> tasks,
    const ProbeTraining& training, const routing::Execution& execution) {
  std::vector<absl::StatusOr<ProbeScore>> scores(2 * tasks.size());
  at::set_num_threads(1);  // Probes are what runs in parallel.
  LADDER_RETURN_IF_ERROR(execution.ForEach(scores.size(), [&](size_t i) {
    at::init_num_threads();  // The pool's threads take over the number.
    scores[i] =
        RunProbe(i % 2 == 0 ? samples.content_view() : samples.style_view(),
                 tasks[i / 2], training, execution.stop);
  }));
  std::vector<ProbePair> pairs;
  for (size_t i = 0; i < scores.size(); i += 2) {
    LADDER_ASSIGN_OR_RETURN(const ProbeScore content, scores[i]);
    LADDER_ASSIGN_OR_RETURN(const ProbeScore style, scores[i + 1]);
    pairs.push_back({.content_accuracy = content.accuracy,
                     .style_accuracy = style.accuracy,
                     .majority = content.majority});
  }
  return pairs;
}

ProbePair Mean(std::span<const ProbePair> pairs) {
  ProbePair mean;
  for (const ProbePair& pair : pairs) {
    mean.content_accuracy += pair.content_accuracy;
    mean.style_accuracy += pair.style_accuracy;
    mean.majority += pair.majority;
  }
  const auto count = static_cast<double>(pairs.size());
  return {.content_accuracy = mean.content_accuracy / count,
          .style_accuracy = mean.style_accuracy / count,
          .majority = mean.majority / count};
}

}  // namespace

absl::StatusOr<ProbeReport> RunProbes(const trainer::EncodedSamples& samples,
                                      const ProbesOptions& options,
                                      const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(const auto rows_by_source,
                          RowsBySource(samples, samples.num_sources));
  LADDER_RETURN_IF_ERROR(routing::CheckMatrix(samples.content_view(), "z_c",
                                              samples.content_dimension));
  LADDER_RETURN_IF_ERROR(routing::CheckMatrix(samples.style_view(), "z_s",
                                              samples.style_dimension));

  const routing::CounterRng seeds(options.seed);
  const Rows rows = Subsample(rows_by_source, seeds.Bits(kSubsample));
  // The largest first, so that threads do not wait for them at the end.
  std::vector<ProbeTask> tasks = {
      {rows, Take(samples.labels, rows), seeds.Bits(kLabel)},
      {rows, Take(samples.domains, rows), seeds.Bits(kDomain)}};
  const routing::CounterRng class_seeds(seeds.Bits(kGivenClass));
  for (const auto& [label, of_class] : EligibleClasses(samples, rows)) {
    tasks.push_back({of_class, Take(samples.domains, of_class),
                     class_seeds.Bits(static_cast<uint64_t>(label))});
  }
  LADDER_ASSIGN_OR_RETURN(const auto pairs,
                          RunAll(samples, tasks, options.training, execution));

  ProbeReport report{.num_samples = rows.size(),
                     .domain = pairs[1],
                     .label = pairs[0],
                     .num_eligible_classes = pairs.size() - 2};
  if (report.num_eligible_classes > 0) {
    report.domain_given_class = Mean(std::span(pairs).subspan(2));
  }
  return report;
}

}  // namespace ladder::experiments
