#ifndef LADDER_TRAINER_EVALUATE_SWEEP_H_
#define LADDER_TRAINER_EVALUATE_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "trainer/evaluate/measured_split.h"
#include "trainer/evaluate/metrics.h"
#include "trainer/evaluate/seed_results.h"

namespace ladder::trainer {

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

#endif  // LADDER_TRAINER_EVALUATE_SWEEP_H_
