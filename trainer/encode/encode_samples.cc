#include "trainer/encode/encode_samples.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace ladder::trainer {
namespace {

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::Status CheckShapes(const model_store::Manifest& manifest,
                         const Dataset& dataset) {
  const auto expected = model_store::SampleShape(manifest.input);
  const auto found = model_store::SampleShape(dataset.input);
  if (expected == found) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "data: expected samples of shape ", ShapeText(expected),
      ", as the model ", manifest.model, " takes, found ", ShapeText(found)));
}

void Append(const model_store::Tensor& tensor, std::vector<float>& values) {
  const auto more = tensor.view().Values();
  values.insert(values.end(), more.begin(), more.end());
}

absl::Status AppendBatch(const model_store::Model& model,
                         const Dataset& dataset, const Batch& batch,
                         const std::stop_token& stop, EncodedSamples& encoded) {
  LADDER_ASSIGN_OR_RETURN(const auto encoding,
                          model.Encode(batch.x, batch.size(), stop));
  LADDER_ASSIGN_OR_RETURN(const auto content, model.ToHost(encoding.z_c, stop));
  LADDER_ASSIGN_OR_RETURN(const auto style, model.ToHost(encoding.z_s, stop));
  Append(content, encoded.content);
  Append(style, encoded.style);
  Append(encoding.gate, encoded.gate);
  for (const size_t sample : batch.samples) {
    const SampleInfo& info = dataset.samples[sample];
    encoded.labels.push_back(info.label);
    encoded.domains.push_back(info.domain);
    encoded.regions.push_back(info.region);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncodedSamples> EncodeSamples(const model_store::Model& model,
                                             const Dataset& dataset,
                                             const std::vector<size_t>& samples,
                                             const EncodeOptions& options,
                                             BrokenSamples& broken) {
  const model_store::Manifest& manifest = model.manifest();
  LADDER_RETURN_IF_ERROR(CheckShapes(manifest, dataset));
  const size_t batch_size = model.max_batch();
  LADDER_ASSIGN_OR_RETURN(
      auto loader, BatchLoader::Start(dataset, InOrder(samples, batch_size), 0,
                                      NumBatches(samples.size(), batch_size),
                                      options.loader, options.stop));
  EncodedSamples encoded = {.content_dimension = manifest.content_dimension,
                            .style_dimension = manifest.style_dimension,
                            .num_sources = manifest.num_sources()};
  Batch batch;
  while (true) {
    auto next = loader->Next(std::move(batch));
    if (absl::IsOutOfRange(next.status())) return encoded;
    if (!next.ok()) return next.status();
    batch = *std::move(next);
    for (const BrokenSample& sample : batch.broken) broken.Add(sample);
    if (batch.size() > 0) {
      LADDER_RETURN_IF_ERROR(
          AppendBatch(model, dataset, batch, options.stop, encoded));
    }
    if (options.on_progress) options.on_progress(encoded.size());
  }
}

}  // namespace ladder::trainer
