#ifndef LADDER_TRAINER_FIT_SOURCE_STAGE_H_
#define LADDER_TRAINER_FIT_SOURCE_STAGE_H_

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/trainee.h"

namespace ladder::trainer {

// A linear classifier: logits = weight z + bias.
struct Head {
  torch::Tensor weight;  // [C, d_c]
  torch::Tensor bias;    // [C]
};

struct HeadOptions {
  uint64_t num_updates = 1;
  int64_t batch_size = 8;
  double learning_rate = 1e-3;
  double weight_decay = 1e-4;
  // [C], of class-balanced cross-entropy; undefined for plain.
  torch::Tensor class_weights = {};
  uint64_t seed = 0;
};

// Fits a head to one source's frozen codes, `content` [n, d_c], and their
// labels [n] int64, from `start` on: AdamW over random passes through the
// samples. `mean_loss` is over all of them, at the end.
struct FittedHead {
  Head head;
  double mean_loss = 0;
};
FittedHead FitHead(const torch::Tensor& content, const torch::Tensor& labels,
                   const Head& start, const HeadOptions& options);

// All that stage 2 makes of one source, on the CPU.
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
