#ifndef LADDER_TRAINER_ENCODE_TRAINED_BUNDLE_H_
#define LADDER_TRAINER_ENCODE_TRAINED_BUNDLE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "model_store/engine/model.h"
#include "trainer/data/dataset.h"
#include "trainer/data/open_dataset.h"
#include "trainer/encode/trained_stack.h"

namespace ladder::trainer {

// What was trained behind the encoder of a served model, whoever wrote its
// bundle. Heads are read by asking the model: a head's logits of zero are its
// bias, those of the unit vectors its columns. `styles` is what the bundle's
// fingerprints file says. Errors as Model::Logits.
absl::StatusOr<TrainedStack> StackOf(const model_store::Model& model,
                                     model_store::SourceStyles styles);

// A bundle as it is served, and how it was trained.
struct TrainedBundle {
  std::shared_ptr<const model_store::Model> model;
  TrainedStack stack;
  std::string baseline = {};  // "erm", "irm", ...; empty for LADDER itself.
  uint64_t seed = 0;
};

// Loads the bundle in `directory`. Errors as ModelLoader::Load.
absl::StatusOr<TrainedBundle> LoadTrainedBundle(
    model_store::ModelLoader& loader, const std::filesystem::path& directory,
    std::stop_token stop);

// Opens the data set at `path` with its pictures as the bundle's model takes
// them. InvalidArgument, naming the first that differs, if its classes are not
// the model's; also as OpenDataset.
absl::StatusOr<LoadedDataset> OpenDatasetFor(const TrainedBundle& bundle,
                                             const std::filesystem::path& path,
                                             DatasetOptions options);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_ENCODE_TRAINED_BUNDLE_H_
