#ifndef LADDER_SERVER_INFERENCE_MODEL_DESCRIPTION_H_
#define LADDER_SERVER_INFERENCE_MODEL_DESCRIPTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "inference/grpc_service.pb.h"
#include "server/inference/model_signature.h"

namespace ladder::server {

// What the protocol's clients may know of a model.
struct ModelDescription {
  std::string name = {};
  std::vector<uint64_t> versions = {};  // Those that are served.
  ModelSignature signature = {};        // Of the version asked for.

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
