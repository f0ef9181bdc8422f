#ifndef LADDER_TRAINER_FIT_STACK_BUILDER_H_
#define LADDER_TRAINER_FIT_STACK_BUILDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "routing/execution.h"
#include "trainer/data/dataset.h"
#include "trainer/data/source_filter.h"
#include "trainer/encode/trained_stack.h"
#include "trainer/fit/fit_options.h"
#include "trainer/fit/source_stage.h"

namespace ladder::trainer {

// Puts the sources' summaries together: normalisation by the statistics of all
// fingerprints, self terms, the distances between sources, and the coverage
// calibration on what was held out. The calibration is empty if too few sources
// have enough held out. Errors as Fingerprints::Create and CalibrateCoverage.
absl::StatusOr<TrainedStack> BuildStack(
    const FitOptions& options, const Dataset& dataset,
    const SourceSelection& selection,
    const std::vector<SourceSummary>& summaries,
    const routing::Execution& execution);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_STACK_BUILDER_H_
