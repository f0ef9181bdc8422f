#ifndef LADDER_TRAINER_ENCODE_BUNDLE_STACK_H_
#define LADDER_TRAINER_ENCODE_BUNDLE_STACK_H_

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "trainer/encode/trained_stack.h"

namespace ladder::trainer {

// What was trained behind the encoder of a served model, whoever wrote its
// bundle. Heads are read by asking the model: a head's logits of zero are its
// bias, those of the unit vectors its columns. `styles` is what the bundle's
// fingerprints file says. Errors as Model::Logits.
absl::StatusOr<TrainedStack> StackOf(const model_store::Model& model,
                                     model_store::SourceStyles styles);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_ENCODE_BUNDLE_STACK_H_
