#ifndef LADDER_TRAINER_FIT_REPRESENTATION_STAGE_H_
#define LADDER_TRAINER_FIT_REPRESENTATION_STAGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "trainer/data/source_filter.h"
#include "trainer/fit/fit_context.h"
#include "trainer/fit/fit_options.h"
#include "trainer/fit/trainee.h"

namespace ladder::trainer {

// The number of steps of an epoch.
uint64_t StepsPerEpoch(const FitOptions& options,
                       const SourceSelection& selection);

// Stage 1: trains `trainee`, on the device, for all its steps, from the run
// folder's checkpoint on if there is one. A step depends on the seed, its
// number and the weights alone, so that a run that was stopped goes on, on the
// same machine and threads, with the same bits.
//
// Cancelled if a stop was requested; the checkpoint is then of the last step.
// FailedPrecondition, naming the step, if the loss is not finite; also errors
// as BatchLoader, of the file system and of LibTorch.
absl::Status RunRepresentationStage(const FitContext& context,
                                    Trainee& trainee);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_REPRESENTATION_STAGE_H_
