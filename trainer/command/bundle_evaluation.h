#ifndef LADDER_TRAINER_COMMAND_BUNDLE_EVALUATION_H_
#define LADDER_TRAINER_COMMAND_BUNDLE_EVALUATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "trainer/data/dataset.h"
#include "trainer/encode/trained_bundle.h"
#include "trainer/evaluate/metrics.h"
#include "trainer/evaluate/routed_rows.h"
#include "trainer/evaluate/seed_results.h"
#include "trainer/fit/fit_observer.h"

namespace ladder::trainer {

struct EvaluationOptions {
  Split split = Split::kTest;
  // Where the accuracy on the sources comes from; none for no drop.
  std::optional<Split> source_split = Split::kIdVal;
  Grouping grouping = Grouping::kPerDomain;
  MetricOptions metrics = {};
  // What to sweep over; a K above the number of sources is left out.
  std::vector<size_t> ks = {};
  std::vector<double> taus = {};
};

// All that one bundle says of a data set.
struct BundleEvaluation {
  std::vector<SeedResult> rows = {};
  std::vector<SeedResult> k_sweep = {};
  std::vector<SeedResult> tau_sweep = {};
  std::vector<RoutedGroup> groups = {};  // The same as in RoutedRows.
};

// Every row of the paper's tables that the bundle has: one for a baseline, the
// experts' rows for LADDER. FailedPrecondition if a split has no samples.
absl::StatusOr<BundleEvaluation> EvaluateBundle(
    const TrainedBundle& bundle, const Dataset& dataset,
    const EvaluationOptions& options, const routing::Execution& execution,
    FitObserver& observer);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_BUNDLE_EVALUATION_H_
