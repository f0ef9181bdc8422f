#ifndef LADDER_TRAINER_EVALUATE_ROUTED_ROWS_H_
#define LADDER_TRAINER_EVALUATE_ROUTED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "trainer/evaluate/measured_split.h"
#include "trainer/evaluate/metrics.h"
#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {

// The rows of the paper's tables that share one encoder and one stack.
inline constexpr char kUniformExperts[] = "UniformExperts";
inline constexpr char kNearestExpert[] = "NearestExpert";
inline constexpr char kSampleGate[] = "SampleGate";
inline constexpr char kSampleGateGroup[] = "SampleGate-group";
inline constexpr char kLadderSplit[] = "LADDER-split";
inline constexpr char kLadderGroup[] = "LADDER-group";

// The answers of one method, of whatever kind, for the samples of a split.
struct MethodPredictions {
  std::string method = {};
  std::vector<int64_t> labels = {};  // Indices into Dataset::classes.
};

struct RoutedRows {
  std::vector<MethodPredictions> rows = {};  // They come in the order above.
  // How LADDER-group routed every domain; without it, how LADDER-split routed
  // the split.
  std::vector<RoutedGroup> groups = {};
};

// The predictions of all rows for one split, measured as a whole and, unless
// `domains` is null, domain by domain. Both have to be of the same samples.
// Without domains there are no -group rows, and NearestExpert goes by the
// summary of the split instead of those of the domains.
//
// Errors as MeasuredSplit::Predict.
absl::StatusOr<RoutedRows> PredictRows(const MeasuredSplit& whole,
                                       const MeasuredSplit* domains,
                                       const routing::Execution& execution);

// The metrics of LADDER on `split` with every K of `ks`, at the stack's tau, or
// with every tau of `taus`, at the stack's K; in the order given. `truth` is of
// the same samples. The results are of `seed`, and their method is the setting:
// "K=6 tau=0.5" or "K=all tau=2".
//
// InvalidArgument if a K is neither routing::kAllSources nor 1 to the number of
// sources or a tau is not positive, and as ComputeMetrics; Cancelled if
// `execution.stop` was requested.
absl::StatusOr<std::vector<SeedResult>> SweepK(
    const MeasuredSplit& split, const LabelledSplit& truth, uint64_t seed,
    std::span<const size_t> ks, const MetricOptions& options,
    const routing::Execution& execution);
absl::StatusOr<std::vector<SeedResult>> SweepTau(
    const MeasuredSplit& split, const LabelledSplit& truth, uint64_t seed,
    std::span<const double> taus, const MetricOptions& options,
    const routing::Execution& execution);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_EVALUATE_ROUTED_ROWS_H_
