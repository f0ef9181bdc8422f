#ifndef LADDER_TRAINER_FIT_BATCH_TENSORS_H_
#define LADDER_TRAINER_FIT_BATCH_TENSORS_H_

#include "trainer/data/batch_loader.h"
#include "trainer/fit/representation_stage.h"
#include "trainer/fit/trainee.h"

namespace ladder::trainer {

// The batch on the context's device. On the CPU, x is the batch's own memory,
// which must stay as long.
BatchTensors ToTensors(const Batch& batch, const FitContext& context);

// Tells the observer of samples that are found broken for the first time.
void NoteBroken(const Batch& batch, const FitContext& context);

LoaderOptions LoaderOptionsOf(const FitOptions& options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_BATCH_TENSORS_H_
