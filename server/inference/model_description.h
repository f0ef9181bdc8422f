#ifndef LADDER_SERVER_INFERENCE_MODEL_DESCRIPTION_H_
#define LADDER_SERVER_INFERENCE_MODEL_DESCRIPTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "inference/grpc_service.pb.h"
#include "model_store/engine/model.h"
#include "model_store/store/model_store.h"
#include "server/config/server_config.h"

namespace ladder::server {

// Models as the Open Inference Protocol sees them.

enum class InputKind {
  kTensor,  // FP32 only.
  kImage,   // BYTES, one JPEG or PNG file per row; FP32 too, ready normalised.
};

// What a model's tensors look like in the Open Inference Protocol.
struct ModelSignature {
  InputKind input_kind = InputKind::kTensor;
  // One sample as the encoder sees it, without the batch dimension.
  std::vector<int64_t> sample_shape = {};
  std::vector<std::string> classes = {};
  std::vector<std::string> sources = {};
  int64_t max_rows = 1;  // A request may have at most this many.
};

// `version` is a number, a label, or empty for the highest that is served.
// Errors as ModelStore.
absl::StatusOr<model_store::ModelHandle> FindModel(
    const model_store::ModelStore& store, const std::string& name,
    const std::string& version);

ModelSignature SignatureOf(const model_store::Model& model,
                           const LimitsConfig& limits);

// What the protocol's clients may know of a model.
struct ModelDescription {
  std::string name = {};
  std::vector<uint64_t> versions = {};  // Those that are served.
  ModelSignature signature = {};        // That of the version asked for.

  // How it is served.
  std::vector<int32_t> batch_sizes = {};  // The warmed ones.
  absl::Duration max_batch_delay = absl::ZeroDuration();
  int32_t instances = 1;
  std::optional<int32_t> gpu = {};  // On the CPU if there is none.
};

inference::ModelMetadataResponse DescribeMetadata(
    const ModelDescription& model);

// The names of classes and sources, which are those of the outputs' columns,
// are the parameters "classes" and "sources": JSON arrays.
inference::ModelConfigResponse DescribeConfig(const ModelDescription& model);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_MODEL_DESCRIPTION_H_
