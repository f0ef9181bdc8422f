#ifndef LADDER_TRAINER_COMMAND_ENCODE_SHOWN_H_
#define LADDER_TRAINER_COMMAND_ENCODE_SHOWN_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/model.h"
#include "routing/execution.h"
#include "trainer/data/dataset.h"
#include "trainer/encode/encoded_samples.h"
#include "trainer/fit/fit_observer.h"

namespace ladder::trainer {

// EncodeSamples, before the eyes of `observer`: progress as `stage`, and how
// many samples were skipped for what reason. Reads on as many threads as
// `execution`, which must have a pool, has.
absl::StatusOr<EncodedSamples> EncodeShown(const model_store::Model& model,
                                           const Dataset& dataset,
                                           const std::vector<size_t>& samples,
                                           absl::string_view stage,
                                           const routing::Execution& execution,
                                           FitObserver& observer);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_ENCODE_SHOWN_H_
