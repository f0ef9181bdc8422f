#include "trainer/encode/trained_bundle.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model_store/format/bundle.h"
#include "nlohmann/json.hpp"
#include "trainer/encode/bundle_stack.h"

namespace ladder::trainer {
namespace {

absl::Status CheckClasses(const std::vector<std::string>& expected,
                          const std::vector<std::string>& found) {
  const size_t common = std::min(expected.size(), found.size());
  for (size_t i = 0; i < common; ++i) {
    if (expected[i] == found[i]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("data: class ", i, ": expected \"", expected[i],
                     "\", as the model has it, found \"", found[i], "\""));
  }
  if (expected.size() == found.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("data: expected ", expected.size(),
                   " classes, as the model has, found ", found.size()));
}

}  // namespace

absl::StatusOr<TrainedBundle> LoadTrainedBundle(
    model_store::ModelLoader& loader, const std::filesystem::path& directory,
    std::stop_token stop) {
  auto model = loader.Load(directory, stop);
  if (!model.ok()) return model.status();
  // A model does not show its fingerprints; it has verified their file.
  const auto files = model_store::OpenBundle(directory);
  if (!files.ok()) return files.status();
  auto styles = model_store::ReadStyles(*files);
  if (!styles.ok()) return styles.status();
  auto stack = StackOf(**model, *std::move(styles));
  if (!stack.ok()) return stack.status();
  const auto config =
      nlohmann::json::parse((*model)->manifest().trainer_config, /*cb=*/nullptr,
                            /*allow_exceptions=*/false);
  TrainedBundle trained = {*std::move(model), *std::move(stack), "ladder"};
  if (config.contains("method") && config["method"].is_string()) {
    trained.method = config["method"];
  }
  if (config.contains("seed") && config["seed"].is_number_unsigned()) {
    trained.seed = config["seed"];
  }
  return trained;
}

absl::StatusOr<LoadedDataset> OpenDatasetFor(const TrainedBundle& bundle,
                                             const std::filesystem::path& path,
                                             DatasetOptions options) {
  const model_store::Manifest& manifest = bundle.model->manifest();
  if (const auto* image =
          std::get_if<model_store::ImageInput>(&manifest.input)) {
    options.image = *image;
  }
  auto loaded = OpenDataset(path, options);
  if (!loaded.ok()) return loaded.status();
  absl::Status status = CheckClasses(manifest.classes, loaded->dataset.classes);
  if (!status.ok()) return status;
  return loaded;
}

}  // namespace ladder::trainer
