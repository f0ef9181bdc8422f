#ifndef LADDER_TRAINER_ENCODE_ENCODE_SAMPLES_H_
#define LADDER_TRAINER_ENCODE_ENCODE_SAMPLES_H_

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "trainer/data/batch_loader.h"
#include "trainer/data/dataset.h"
#include "trainer/data/dataset_report.h"
#include "trainer/encode/encoded_samples.h"

namespace ladder::trainer {

struct EncodeOptions {
  LoaderOptions loader = {};
  std::stop_token stop = {};
  // Is told how many samples are done, after every batch. May be empty.
  std::function<void(size_t)> on_progress = {};
};

// Encodes `samples` of the data set by the served model, in their order. Those
// that are broken are left out and told to `broken`.
//
// InvalidArgument, naming both, if the data set's samples have another shape
// than the model takes; otherwise errors as BatchLoader and Model::Encode.
absl::StatusOr<EncodedSamples> EncodeSamples(const model_store::Model& model,
                                             const Dataset& dataset,
                                             const std::vector<size_t>& samples,
                                             const EncodeOptions& options,
                                             BrokenSamples& broken);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_ENCODE_ENCODE_SAMPLES_H_
