#include "trainer/encode/trained_bundle.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/bundle.h"
#include "nlohmann/json.hpp"

namespace ladder::trainer {
namespace {

// Row 0 is zero, row i the unit vector of dimension i - 1.
std::vector<float> ProbeCodes(size_t dimension) {
  std::vector<float> codes((dimension + 1) * dimension);
  for (size_t i = 0; i < dimension; ++i) codes[(i + 1) * dimension + i] = 1;
  return codes;
}

absl::StatusOr<routing::LinearHeads> ReadHeads(
    const model_store::Model& model) {
  const model_store::Manifest& manifest = model.manifest();
  const size_t num_sources = manifest.num_sources();
  const size_t num_classes = manifest.num_classes();
  const size_t dimension = manifest.content_dimension;
  const std::vector<float> codes = ProbeCodes(dimension);
  const model_store::Tensor z_c(nullptr, codes.data(), dimension + 1, dimension,
                                model_store::Tensor::Place::kHost);
  std::vector<float> weights(num_sources * num_classes * dimension);
  std::vector<float> bias;
  for (size_t e = 0; e < num_sources; ++e) {
    std::vector<float> choice(num_sources);
    choice[e] = 1;
    LADDER_ASSIGN_OR_RETURN(
        const auto logits,
        model.Logits(z_c, {choice.data(), 1, num_sources}, /*stop=*/{}));
    const auto values = logits.view().Values();
    bias.insert(bias.end(), values.begin(), values.begin() + num_classes);
    float* weight = weights.data() + e * num_classes * dimension;
    for (size_t i = 0; i < dimension; ++i) {
      for (size_t c = 0; c < num_classes; ++c) {
        weight[c * dimension + i] =
            values[(i + 1) * num_classes + c] - values[c];
      }
    }
  }
  return routing::LinearHeads::Create(num_sources, num_classes, dimension,
                                      std::move(weights), std::move(bias));
}

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

absl::StatusOr<TrainedStack> StackOf(const model_store::Model& model,
                                     model_store::SourceStyles styles) {
  LADDER_ASSIGN_OR_RETURN(auto heads, ReadHeads(model));
  const model_store::Manifest& manifest = model.manifest();
  return TrainedStack{.classes = manifest.classes,
                      .sources = manifest.sources,
                      .heads = std::move(heads),
                      .styles = std::move(styles),
                      .coverage = manifest.coverage,
                      .source_distances = manifest.source_distances,
                      .routing = manifest.routing};
}

absl::StatusOr<TrainedBundle> LoadTrainedBundle(
    model_store::ModelLoader& loader, const std::filesystem::path& directory,
    std::stop_token stop) {
  LADDER_ASSIGN_OR_RETURN(auto model, loader.Load(directory, stop));
  // A model does not show its fingerprints; it has verified their file.
  LADDER_ASSIGN_OR_RETURN(const auto files, model_store::ReadBundleFiles(
                                                directory, /*execution=*/{}));
  LADDER_ASSIGN_OR_RETURN(auto styles, model_store::ReadStyles(files));
  LADDER_ASSIGN_OR_RETURN(auto stack, StackOf(*model, std::move(styles)));
  const auto config =
      nlohmann::json::parse(model->manifest().trainer_config, /*cb=*/nullptr,
                            /*allow_exceptions=*/false);
  TrainedBundle trained = {std::move(model), std::move(stack)};
  if (config.contains("method") && config["method"].is_string() &&
      config["method"] != "ladder") {
    trained.baseline = config["method"];
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
  LADDER_ASSIGN_OR_RETURN(auto loaded, OpenDataset(path, options));
  LADDER_RETURN_IF_ERROR(
      CheckClasses(manifest.classes, loaded.dataset.classes));
  return loaded;
}

}  // namespace ladder::trainer
