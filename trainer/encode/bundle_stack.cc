#include "trainer/encode/bundle_stack.h"

#include <utility>
#include <vector>

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
    const auto logits =
        model.Logits(z_c, {choice.data(), 1, num_sources}, /*stop=*/{});
    if (!logits.ok()) return logits.status();
    const auto values = logits->view().Values();
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

}  // namespace

absl::StatusOr<TrainedStack> StackOf(const model_store::Model& model,
                                     model_store::SourceStyles styles) {
  auto heads = ReadHeads(model);
  if (!heads.ok()) return heads.status();
  const model_store::Manifest& manifest = model.manifest();
  return TrainedStack{.classes = manifest.classes,
                      .sources = manifest.sources,
                      .heads = *std::move(heads),
                      .styles = std::move(styles),
                      .coverage = manifest.coverage,
                      .source_distances = manifest.source_distances,
                      .routing = manifest.routing};
}

}  // namespace ladder::trainer
