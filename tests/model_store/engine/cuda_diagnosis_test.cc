#include "model_store/engine/cuda_diagnosis.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ladder::model_store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string FailedPrecondition(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  return std::string(status.message());
}

// As ONNX Runtime 1.31 words it.
std::string LoadError(const std::string& loader_error) {
  return absl::StrCat(
      "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:2043 "
      "onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() "
      "[ONNXRuntimeError] : 1 : FAIL : Failed to load library "
      "/opt/ort/libonnxruntime_providers_cuda.so with error: ",
      loader_error, "\n");
}

std::string OptionError(const std::string& words) {
  return absl::StrCat(
      "/onnxruntime_src/cuda_execution_provider_info.cc:63 "
      "FromProviderOptions(const onnxruntime::ProviderOptions&) "
      "[ONNXRuntimeError] : 1 : FAIL : provider_options_utils.h:187 Parse ",
      words, "\n");
}

constexpr char kCannotOpen[] =
    ": cannot open shared object file: No such file or directory";

TEST(CudaDiagnosisTest, TellsABuildWithoutCuda) {
  const std::vector<std::string> providers = {"AzureExecutionProvider",
                                              "CPUExecutionProvider"};

  const std::string message =
      FailedPrecondition(CheckCudaBuild(providers, "1.31.1"));

  EXPECT_THAT(message, AllOf(HasSubstr("ONNX Runtime 1.31.1 was built without"),
                             HasSubstr("CPUExecutionProvider"),
                             HasSubstr("onnxruntime-gpu")));
}

TEST(CudaDiagnosisTest, AcceptsABuildWithCuda) {
  const std::vector<std::string> providers = {"CUDAExecutionProvider",
                                              "CPUExecutionProvider"};

  EXPECT_TRUE(CheckCudaBuild(providers, "1.31.1").ok());
}

TEST(CudaDiagnosisTest, NamesTheProviderLibrary) {
  const std::string message = FailedPrecondition(ExplainProviderError(LoadError(
      absl::StrCat("/opt/ort/libonnxruntime_providers_cuda.so", kCannotOpen))));

  EXPECT_THAT(message,
              HasSubstr("provider library libonnxruntime_providers_cuda.so is "
                        "missing (/opt/ort/"));
}

TEST(CudaDiagnosisTest, NamesTheCudaLibrary) {
  const std::string message = FailedPrecondition(ExplainProviderError(
      LoadError(absl::StrCat("libcublasLt.so.13", kCannotOpen))));

  EXPECT_THAT(message,
              HasSubstr("the CUDA library libcublasLt.so.13 is missing"));
}

TEST(CudaDiagnosisTest, NamesTheCudnnLibrary) {
  const std::string message = FailedPrecondition(ExplainProviderError(
      LoadError(absl::StrCat("libcudnn.so.9", kCannotOpen))));

  EXPECT_THAT(message, HasSubstr("the cuDNN library libcudnn.so.9 is missing"));
}

TEST(CudaDiagnosisTest, NamesTheDriver) {
  const std::string message = FailedPrecondition(ExplainProviderError(
      LoadError(absl::StrCat("libcuda.so.1", kCannotOpen))));

  EXPECT_THAT(message,
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("libcuda.so.1")));
}

TEST(CudaDiagnosisTest, PassesOtherLoadErrorsOn) {
  const std::string message = FailedPrecondition(ExplainProviderError(
      LoadError("libcudart.so.13: version `v' not found")));

  EXPECT_THAT(message, AllOf(HasSubstr("cannot load its CUDA provider"),
                             HasSubstr("version `v' not found")));
}

TEST(CudaDiagnosisTest, TellsADeviceThatDoesNotStart) {
  const std::string message =
      FailedPrecondition(ExplainProviderError(OptionError(
          "Failed to parse provider option \"device_id\": CUDA failure 35: "
          "CUDA driver version is insufficient for CUDA runtime version ; "
          "GPU=-1 ; hostname=somewhere ; file=a.cc ; line=70")));

  EXPECT_THAT(message, AllOf(HasSubstr("the device does not start"),
                             HasSubstr("CUDA failure 35: CUDA driver version"),
                             Not(HasSubstr("somewhere"))));
}

TEST(CudaDiagnosisTest, TellsOptionsThatAreWrong) {
  const absl::Status unknown = ExplainProviderError(
      OptionError("Unknown provider option: \"no_such_option\"."));
  const absl::Status bad_value = ExplainProviderError(OptionError(
      "Failed to parse provider option \"gpu_mem_limit\": parse_string.h:116 "
      "Failed to parse value: \"lots\""));

  EXPECT_EQ(unknown,
            absl::InvalidArgumentError("cuda_options: Unknown provider option: "
                                       "\"no_such_option\"."));
  EXPECT_EQ(bad_value.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bad_value.message()),
              AllOf(HasSubstr("cuda_options: Failed to parse provider option "
                              "\"gpu_mem_limit\""),
                    HasSubstr("lots")));
}

TEST(CudaDiagnosisTest, FindsSharedLibraries) {
  EXPECT_TRUE(CheckSharedLibrary("libc.so.6").ok());
  EXPECT_THAT(
      FailedPrecondition(CheckSharedLibrary("libcudnn_of_nobody.so.9")),
      HasSubstr("the cuDNN library libcudnn_of_nobody.so.9 is missing"));
}

TEST(CudaDiagnosisTest, AcceptsADriverWithTheDevice) {
  EXPECT_TRUE(CheckCudaDriver({.num_devices = 2}, /*index=*/1).ok());
}

TEST(CudaDiagnosisTest, TellsAMissingDriver) {
  const CudaDriver driver = {.load_error =
                                 absl::StrCat("libcuda.so.1", kCannotOpen)};

  EXPECT_THAT(FailedPrecondition(CheckCudaDriver(driver, 0)),
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("libcuda.so.1")));
}

TEST(CudaDiagnosisTest, TellsTheToolkitsStub) {
  EXPECT_THAT(FailedPrecondition(CheckCudaDriver({.init_error = 34}, 0)),
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("stub")));
}

TEST(CudaDiagnosisTest, TellsAMachineWithoutDevices) {
  EXPECT_THAT(FailedPrecondition(CheckCudaDriver({.init_error = 100}, 0)),
              HasSubstr("no device"));
  EXPECT_THAT(FailedPrecondition(CheckCudaDriver({.num_devices = 0}, 0)),
              HasSubstr("no device"));
}

TEST(CudaDiagnosisTest, TellsADriverThatFails) {
  EXPECT_THAT(FailedPrecondition(CheckCudaDriver({.init_error = 803}, 0)),
              AllOf(HasSubstr("the driver does not start"),
                    HasSubstr("CUDA error 803")));
}

TEST(CudaDiagnosisTest, TellsAnIndexOutOfRange) {
  EXPECT_THAT(FailedPrecondition(CheckCudaDriver({.num_devices = 2}, 5)),
              AllOf(HasSubstr("no device cuda:5"), HasSubstr("finds 2"),
                    HasSubstr("cuda:1")));
}

}  // namespace
}  // namespace ladder::model_store
