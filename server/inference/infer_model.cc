#include "server/inference/infer_model.h"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "absl/strings/numbers.h"
#include "model_store/format/manifest.h"

namespace ladder::server {
namespace {

// Larger groups have a protocol of their own.
constexpr uint64_t kMostRows = 65'536;

}  // namespace

absl::StatusOr<model_store::ModelHandle> FindModel(
    const model_store::ModelStore& store, const std::string& name,
    const std::string& version) {
  absl::Status status = model_store::CheckModelName(name);
  if (!status.ok()) return status;
  if (version.empty()) return store.Get(name);
  uint64_t number = 0;
  if (absl::SimpleAtoi(version, &number)) {
    return store.GetVersion(name, number);
  }
  return store.GetLabelled(name, version);
}

ModelSignature SignatureOf(const model_store::Model& model,
                           const LimitsConfig& limits) {
  const model_store::Manifest& manifest = model.manifest();
  ModelSignature signature = {
      .input_kind =
          std::holds_alternative<model_store::ImageInput>(manifest.input)
              ? InputKind::kImage
              : InputKind::kTensor,
      .sample_shape = model_store::SampleShape(manifest.input),
      .classes = manifest.classes,
      .max_rows =
          static_cast<int64_t>(std::min(limits.max_group_samples, kMostRows))};
  for (const model_store::Source& source : manifest.sources) {
    signature.sources.push_back(source.name);
  }
  return signature;
}

}  // namespace ladder::server
