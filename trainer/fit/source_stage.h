#ifndef LADDER_TRAINER_FIT_SOURCE_STAGE_H_
#define LADDER_TRAINER_FIT_SOURCE_STAGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/trainee.h"

namespace ladder::trainer {

// What stage 2 makes of one source, on the CPU.
struct SourceSummary {
  torch::Tensor weight;    // [C, d_c], its head.
  torch::Tensor bias;      // [C]
  torch::Tensor style;     // [at most m, d_s], raw: its fingerprint to be.
  torch::Tensor held_out;  // [at most m, d_s], raw: for the calibration.
};

// Stage 2: with the encoders frozen (batch normalisation in evaluation mode),
// fits each source's head to the codes of its training samples and draws its
// style vectors, one source after the other, so that memory is bounded by the
// largest. The baselines' heads are the pooled one.
//
// Every head gets the updates that head_epochs of steps with domains_per_step
// sources each would give it, of batch_size / domains_per_step samples.
//
// Held out for the calibration are samples of the split id_val; where a source
// has none, training samples that are not in its fingerprint, if any are left.
//
// Sources that the run folder has already are not made again. Cancelled if a
// stop was requested; FailedPrecondition if no sample of a source can be read;
// else as RunRepresentationStage.
absl::StatusOr<std::vector<SourceSummary>> RunSourceStage(
    const FitContext& context, Trainee& trainee);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_SOURCE_STAGE_H_
