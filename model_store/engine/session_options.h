#ifndef LADDER_MODEL_STORE_ENGINE_SESSION_OPTIONS_H_
#define LADDER_MODEL_STORE_ENGINE_SESSION_OPTIONS_H_

#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/engine/device.h"
#include "model_store/engine/engine.h"

namespace ladder::model_store {

// What a session is for; some settings follow from it.
enum class GraphRole {
  kEncoder,
  kHeads,
  kRouter,
  kRows,  // Moves rows about, without arithmetic.
};

// The CUDA provider's options by ONNX Runtime's names: ours, overridden by
// `user`. InvalidArgument if `user` sets device_id, which `device` decides.
absl::StatusOr<std::map<std::string, std::string>> CudaOptions(
    int device_index, GraphRole role,
    const std::map<std::string, std::string>& user);

// Loads the CUDA provider and lets it look at its options. InvalidArgument,
// with ONNX Runtime's words, for an option that it does not know or cannot
// parse; FailedPrecondition, naming it, if a library is missing.
absl::Status LoadCudaProvider(
    const std::map<std::string, std::string>& cuda_options);

// InvalidArgument if `engine`'s settings are refused. For CUDA, errors as
// LoadCudaProvider.
absl::StatusOr<Ort::SessionOptions> MakeSessionOptions(
    const EngineOptions& engine, const Device& device, GraphRole role,
    size_t num_threads);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_SESSION_OPTIONS_H_
