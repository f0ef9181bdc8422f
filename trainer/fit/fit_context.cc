#include "trainer/fit/fit_context.h"

#include <torch/cuda.h>

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace ladder::trainer {
namespace {

// More broken samples than these are counted only.
constexpr int64_t kMaxMessages = 20;

}  // namespace

BatchTensors ToTensors(const Batch& batch, const FitContext& context) {
  std::vector<int64_t> shape = {static_cast<int64_t>(batch.size())};
  for (const int64_t size : model_store::SampleShape(context.dataset.input)) {
    shape.push_back(size);
  }
  std::vector<int64_t> sources;
  for (const int64_t domain : batch.domains) {
    sources.push_back(
        context.selection.source_of_domain[static_cast<size_t>(domain)]);
  }
  // LibTorch does not write to what it is only given to read.
  const torch::Tensor x = torch::from_blob(const_cast<float*>(batch.x.data()),
                                           shape, torch::kFloat);
  return {
      .x = x.to(context.device),
      .labels = torch::tensor(batch.labels, torch::kLong).to(context.device),
      .sources = torch::tensor(sources, torch::kLong).to(context.device)};
}

void NoteBroken(const Batch& batch, const FitContext& context) {
  for (const BrokenSample& broken : batch.broken) {
    if (context.broken.Add(broken) && context.broken.size() <= kMaxMessages) {
      context.observer.Message(
          absl::StrCat("skipped: ", broken.error.message()));
    }
  }
}

LoaderOptions LoaderOptionsOf(const FitOptions& options) {
  return {.num_threads = static_cast<int>(options.loader_threads),
          .on_broken = options.on_broken.value()};
}

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
