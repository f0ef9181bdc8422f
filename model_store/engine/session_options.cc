#include "model_store/engine/session_options.h"

#include <onnxruntime_session_options_config_keys.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/engine/cuda_diagnosis.h"
#include "model_store/engine/ort_status.h"

namespace ladder::model_store {
namespace {

using ParsedCudaOptions =
    std::unique_ptr<OrtCUDAProviderOptionsV2,
                    decltype(OrtApi::ReleaseCUDAProviderOptions)>;

// Throws Ort::Exception.
ParsedCudaOptions ParseCudaOptions(
    const std::map<std::string, std::string>& cuda_options) {
  const OrtApi& api = Ort::GetApi();
  OrtCUDAProviderOptionsV2* parsed = nullptr;
  Ort::ThrowOnError(api.CreateCUDAProviderOptions(&parsed));
  ParsedCudaOptions owner(parsed, api.ReleaseCUDAProviderOptions);
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : cuda_options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  // All at once: an update resets what it does not name.
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(parsed, keys.data(),
                                                  values.data(), keys.size()));
  return owner;
}

// Calls `body`, in which ONNX Runtime loads its CUDA provider.
template <typename Body>
absl::Status CatchCudaError(Body body) {
  try {
    body();
    return absl::OkStatus();
  } catch (const Ort::Exception& error) {
    return ExplainProviderError(error.what());
  } catch (...) {
    return CurrentExceptionToStatus("loading the CUDA provider");
  }
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> CudaOptions(
    int device_index, GraphRole role,
    const std::map<std::string, std::string>& user) {
  if (user.contains("device_id")) {
    return absl::InvalidArgumentError(
        "cuda_options: device_id is not accepted; the option `device` chooses "
        "it, as cuda:N");
  }
  std::map<std::string, std::string> options = user;
  options.emplace("device_id", absl::StrCat(device_index));
  // Searching exhaustively takes seconds for each new shape; the heuristic's
  // choice is hardly slower to run.
  options.emplace("cudnn_conv_algo_search", "HEURISTIC");
  // Batches have a few warmed sizes, so there is nothing to round up for.
  options.emplace("arena_extend_strategy", "kSameAsRequested");
  // TF32 keeps 10 bits of the mantissa: enough for a network, but the distance
  // subtracts products of nearly equal size.
  if (role == GraphRole::kRouter) options.emplace("use_tf32", "0");
  return options;
}

absl::Status LoadCudaProvider(
    const std::map<std::string, std::string>& cuda_options) {
  return CatchCudaError([&] { ParseCudaOptions(cuda_options); });
}

absl::StatusOr<Ort::SessionOptions> MakeSessionOptions(
    const EngineOptions& engine, const Device& device, GraphRole role,
    size_t num_threads) {
  return CatchOrt(
      "session_config", [&]() -> absl::StatusOr<Ort::SessionOptions> {
        Ort::SessionOptions options;
        options.SetIntraOpNumThreads(static_cast<int>(num_threads));
        options.SetInterOpNumThreads(1);
        options.SetExecutionMode(ORT_SEQUENTIAL);
        std::map<std::string, std::string> config = engine.session_config;
        // Memory comes from the environment's arena; see HostArena.
        config.emplace(kOrtSessionOptionsConfigUseEnvAllocators, "1");
        config.emplace(kOrtSessionOptionsUseDeviceAllocatorForInitializers,
                       "1");
        // Threads that spin between the operators of a run make it up to a
        // quarter faster than threads that sleep; but behind it they would take
        // CPUs from decoding, routing and answering.
        config.emplace(kOrtSessionOptionsConfigForceSpinningStop, "1");
        for (const auto& [key, value] : config) {
          options.AddConfigEntry(key.c_str(), value.c_str());
        }
        if (device.kind == Device::Kind::kCuda) {
          LADDER_ASSIGN_OR_RETURN(
              const auto cuda_options,
              CudaOptions(device.index, role, engine.cuda_options));
          LADDER_RETURN_IF_ERROR(CatchCudaError([&] {
            options.AppendExecutionProvider_CUDA_V2(
                *ParseCudaOptions(cuda_options));
          }));
        }
        return options;
      });
}

}  // namespace ladder::model_store
