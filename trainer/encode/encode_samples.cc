#include "trainer/encode/encode_samples.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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
  const auto encoding = model.Encode(batch.x, batch.size(), stop);
  if (!encoding.ok()) return encoding.status();
  const auto content = model.ToHost(encoding->z_c, stop);
  if (!content.ok()) return content.status();
  const auto style = model.ToHost(encoding->z_s, stop);
  if (!style.ok()) return style.status();
  Append(*content, encoded.content);
  Append(*style, encoded.style);
  Append(encoding->gate, encoded.gate);
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
  absl::Status status = CheckShapes(manifest, dataset);
  if (!status.ok()) return status;
  const size_t batch_size = model.max_batch();
  auto loader = BatchLoader::Start(dataset, InOrder(samples, batch_size), 0,
                                   NumBatches(samples.size(), batch_size),
                                   options.loader, options.stop);
  if (!loader.ok()) return loader.status();
  EncodedSamples encoded = {.content_dimension = manifest.content_dimension,
                            .style_dimension = manifest.style_dimension,
                            .num_sources = manifest.num_sources()};
  Batch batch;
  while (true) {
    auto next = (*loader)->Next(std::move(batch));
    if (absl::IsOutOfRange(next.status())) return encoded;
    if (!next.ok()) return next.status();
    batch = *std::move(next);
    for (const BrokenSample& sample : batch.broken) broken.Add(sample);
    if (batch.size() > 0) {
      status = AppendBatch(model, dataset, batch, options.stop, encoded);
      if (!status.ok()) return status;
    }
    if (options.on_progress) options.on_progress(encoded.size());
  }
}

}  // namespace ladder::trainer
