#include "model_store/engine/cuda_diagnosis.h"

#include <dlfcn.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ladder::model_store {
namespace {

constexpr char kDriverLibrary[] = "libcuda.so.1";

// Names of the CUDA driver API's, which is stable.
constexpr int kStubLibrary = 34;
constexpr int kNoDevice = 100;

absl::Status Missing(absl::string_view piece, absl::string_view detail,
                     absl::string_view advice) {
  return absl::FailedPreconditionError(
      absl::StrCat("CUDA: ", piece, " (", detail, "); ", advice));
}

absl::Status MissingDriver(absl::string_view detail) {
  return Missing("no NVIDIA driver", detail,
                 "install it, or run the container with access to the GPU");
}

absl::Status MissingLibrary(absl::string_view library,
                            absl::string_view detail) {
  const absl::string_view family =
      absl::StartsWith(library, "libcudnn") ? "cuDNN" : "CUDA";
  return Missing(
      absl::StrCat("the ", family, " library ", library, " is missing"), detail,
      absl::StrCat(
          "install ", family,
          " in the version that ONNX Runtime was built with, where the "
          "dynamic loader finds it (LD_LIBRARY_PATH)"));
}

// The part of `text` that begins with, or follows, the last `mark`; all of it
// if there is none.
absl::string_view From(absl::string_view text, absl::string_view mark) {
  const size_t begin = text.rfind(mark);
  return begin == absl::string_view::npos ? text : text.substr(begin);
}

absl::string_view Behind(absl::string_view text, absl::string_view mark) {
  const absl::string_view rest = From(text, mark);
  return rest.size() == text.size() ? text : rest.substr(mark.size());
}

// The library in "<library>: cannot open shared object file: ...", the loader's
// words, if that is how `error` begins; else nothing.
absl::string_view LibraryThatCannotBeOpened(absl::string_view error) {
  const size_t end = error.find(": cannot open shared object file");
  return end == absl::string_view::npos ? "" : error.substr(0, end);
}

}  // namespace

absl::Status CheckCudaBuild(std::span<const std::string> providers,
                            absl::string_view ort_version) {
  if (std::find(providers.begin(), providers.end(), "CUDAExecutionProvider") !=
      providers.end()) {
    return absl::OkStatus();
  }
  return Missing(
      absl::StrCat("ONNX Runtime ", ort_version, " was built without it"),
      absl::StrCat("it has ", absl::StrJoin(providers, ", ")),
      "use the library of onnxruntime-gpu instead");
}

absl::Status ExplainProviderError(absl::string_view message) {
  message = absl::StripAsciiWhitespace(message);
  // An error about device_id is none of the options: to check the number, ONNX
  // Runtime asks CUDA for its devices.
  if (absl::StrContains(message, "provider option") &&
      !absl::StrContains(message, "provider option \"device_id\"")) {
    const absl::string_view words =
        From(From(message, "Unknown provider option"),
             "Failed to parse provider option");
    return absl::InvalidArgumentError(absl::StrCat("cuda_options: ", words));
  }
  if (absl::StrContains(message, "CUDA failure")) {
    const absl::string_view failure = From(message, "CUDA failure");
    return Missing("the device does not start",
                   failure.substr(0, failure.find(" ;")),
                   "check nvidia-smi and that the driver is recent enough");
  }
  const absl::string_view error = Behind(message, "with error: ");
  const absl::string_view path = LibraryThatCannotBeOpened(error);
  const absl::string_view library = path.substr(path.rfind('/') + 1);
  if (absl::StartsWith(library, "libonnxruntime_providers_")) {
    return Missing(absl::StrCat("ONNX Runtime's provider library ", library,
                                " is missing"),
                   error, "put it beside libonnxruntime.so");
  }
  if (library == kDriverLibrary) return MissingDriver(error);
  if (!library.empty()) return MissingLibrary(library, error);
  return Missing("ONNX Runtime cannot load its CUDA provider", error,
                 "check that its libraries and CUDA's belong together");
}

absl::Status CheckSharedLibrary(absl::string_view library) {
  void* handle = dlopen(std::string(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return MissingLibrary(library, dlerror());
  dlclose(handle);
  return absl::OkStatus();
}

CudaDriver FindCudaDriver() {
  // Stays loaded: ONNX Runtime is about to use it, and it was not made to be
  // unloaded.
  void* handle = dlopen(kDriverLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return {.load_error = dlerror()};
  using Init = int (*)(unsigned flags);
  using GetCount = int (*)(int* count);
  const auto init = reinterpret_cast<Init>(dlsym(handle, "cuInit"));
  const auto get_count =
      reinterpret_cast<GetCount>(dlsym(handle, "cuDeviceGetCount"));
  CudaDriver driver;
  if (init == nullptr || get_count == nullptr) {
    driver.load_error = absl::StrCat(kDriverLibrary, " lacks cuInit");
  } else {
    driver.init_error = init(0);
    if (driver.init_error == 0) {
      driver.init_error = get_count(&driver.num_devices);
    }
  }
  dlclose(handle);
  return driver;
}

absl::Status CheckCudaDriver(const CudaDriver& driver, int index) {
  if (!driver.load_error.empty()) return MissingDriver(driver.load_error);
  if (driver.init_error == kStubLibrary) {
    return MissingDriver(
        absl::StrCat(kDriverLibrary,
                     " is the CUDA toolkit's stub, which has no device: "
                     "CUDA_ERROR_STUB_LIBRARY"));
  }
  if (driver.init_error == kNoDevice ||
      (driver.init_error == 0 && driver.num_devices == 0)) {
    return Missing("no device", "the driver finds none",
                   "check nvidia-smi and CUDA_VISIBLE_DEVICES");
  }
  if (driver.init_error != 0) {
    return Missing("the driver does not start",
                   absl::StrCat("CUDA error ", driver.init_error),
                   "check nvidia-smi");
  }
  if (index >= driver.num_devices) {
    return Missing(absl::StrCat("no device cuda:", index),
                   absl::StrCat("the driver finds ", driver.num_devices,
                                ", the last is cuda:", driver.num_devices - 1),
                   "check CUDA_VISIBLE_DEVICES");
  }
  return absl::OkStatus();
}

}  // namespace ladder::model_store
