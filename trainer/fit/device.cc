#include "trainer/fit/device.h"

#include <torch/cuda.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ladder::trainer {

absl::StatusOr<torch::Device> ChooseTrainingDevice(absl::string_view name) {
  if (name == "cpu") return torch::Device(torch::kCPU);
  if (name == "auto") {
    return torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0)
                                       : torch::Device(torch::kCPU);
  }
  absl::string_view rest = name;
  int index = 0;
  const bool is_cuda = absl::ConsumePrefix(&rest, "cuda");
  if (!is_cuda ||
      (!rest.empty() && (!absl::ConsumePrefix(&rest, ":") ||
                         !absl::SimpleAtoi(rest, &index) || index < 0))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "device: expected auto, cpu or cuda[:N], got \"", name, "\""));
  }
  if (!torch::cuda::is_available()) {
    return absl::FailedPreconditionError(
        absl::StrCat("device: expected \"", name,
                     "\" to answer, found that this LibTorch was built without "
                     "CUDA or that there is no driver or device"));
  }
  const size_t count = torch::cuda::device_count();
  if (static_cast<size_t>(index) >= count) {
    return absl::FailedPreconditionError(absl::StrCat(
        "device: expected cuda:0 to cuda:", count - 1, ", got \"", name, "\""));
  }
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(index));
}

}  // namespace ladder::trainer
