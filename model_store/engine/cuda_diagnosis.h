#ifndef LADDER_MODEL_STORE_ENGINE_CUDA_DIAGNOSIS_H_
#define LADDER_MODEL_STORE_ENGINE_CUDA_DIAGNOSIS_H_

#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

// Why CUDA cannot be had, in words of one line that name the missing piece and
// what to do. What is found out and what follows from it are functions of their
// own, the latter pure. They return OK or FailedPrecondition, unless they say
// otherwise.

// `providers` are those that ONNX Runtime, of this version, was built with.
absl::Status CheckCudaBuild(std::span<const std::string> providers,
                            absl::string_view ort_version);

// `message` is what ONNX Runtime said when it could not load its CUDA provider
// or when that refused its options: the provider's own library, or one of
// CUDA's, cuDNN's or the driver's that it needs, is missing; the device does
// not start; or, InvalidArgument, an option has a name or a value it does not
// know.
absl::Status ExplainProviderError(absl::string_view message);

// OK if the dynamic loader finds `library`, as the process runs now.
absl::Status CheckSharedLibrary(absl::string_view library);

struct CudaDriver {
  std::string load_error = {};  // Empty if libcuda.so.1 could be loaded.
  int init_error = 0;           // What cuInit or cuDeviceGetCount returned.
  int num_devices = 0;
};

CudaDriver FindCudaDriver();
// OK if the device `index` can be expected to answer.
absl::Status CheckCudaDriver(const CudaDriver& driver, int index);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_CUDA_DIAGNOSIS_H_
