#include "model_store/engine/device.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "model_store/engine/cuda_diagnosis.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/environment.h"
#include "model_store/engine/ort_status.h"
#include "model_store/engine/session_options.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"

namespace ladder::model_store {
namespace {

// What ONNX Runtime's CUDA provider loads when it first needs it.
constexpr char kCudnnLibrary[] = "libcudnn.so.9";

// Runs x + x on the device: it has to start, allocate, copy and compute. With a
// thread beside the caller's, so that all options are looked at.
absl::Status RunSmallGraph(const Environment& environment,
                           const EngineOptions& options, const Device& device) {
  GraphBuilder graph("probe");
  const GraphValue x = graph.Input("x", {1});
  graph.Output("y", x + x, {1});
  LADDER_ASSIGN_OR_RETURN(const std::string model, graph.Serialize());
  LADDER_ASSIGN_OR_RETURN(
      const Ort::SessionOptions session_options,
      MakeSessionOptions(options, device, GraphRole::kRows, /*num_threads=*/2));
  return CatchOrt("a first run", [&] {
    Ort::Session session(environment.env(), model.data(), model.size(),
                         session_options);
    float value = 1;
    const int64_t shape[] = {1};
    const Ort::Value input = Ort::Value::CreateTensor<float>(
        Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault),
        &value, 1, shape, 1);
    const char* input_name = "x";
    const char* output_name = "y";
    session.Run(Ort::RunOptions{}, &input_name, &input, 1, &output_name, 1);
  });
}

// Looks at one piece after the other, in the order in which they stand on each
// other, because the last alone would fail for all of these reasons.
absl::Status ProbeCuda(const Environment& environment,
                       const EngineOptions& options, const Device& device) {
  LADDER_ASSIGN_OR_RETURN(
      auto cuda_options,
      CudaOptions(device.index, GraphRole::kRows, options.cuda_options));

  LADDER_ASSIGN_OR_RETURN(const std::vector<std::string> providers,
                          CatchOrt("listing ONNX Runtime's providers", [] {
                            return Ort::GetAvailableProviders();
                          }));
  LADDER_RETURN_IF_ERROR(
      CheckCudaBuild(providers, OrtGetApiBase()->GetVersionString()));

  // The device's number is left out: ONNX Runtime checks it by asking the
  // driver, which is looked at further below.
  cuda_options.erase("device_id");
  LADDER_RETURN_IF_ERROR(LoadCudaProvider(cuda_options));

  if (const auto cudnn = cuda_options.find("enable_cudnn");
      cudnn == cuda_options.end() || cudnn->second == "1") {
    LADDER_RETURN_IF_ERROR(CheckSharedLibrary(kCudnnLibrary));
  }
  LADDER_RETURN_IF_ERROR(CheckCudaDriver(FindCudaDriver(), device.index));

  absl::Status status = RunSmallGraph(environment, options, device);
  if (status.ok() || absl::IsInvalidArgument(status) ||
      absl::IsFailedPrecondition(status)) {
    return status;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "CUDA: ", device.Name(), " does not work: ", status.message()));
}

}  // namespace

std::string Device::Name() const {
  return kind == Kind::kCpu ? "cpu" : absl::StrCat("cuda:", index);
}

absl::StatusOr<DeviceRequest> ParseDevice(absl::string_view text) {
  const Device cuda = {.kind = Device::Kind::kCuda};
  if (text == "auto") return DeviceRequest{.automatic = true, .device = cuda};
  if (text == "cpu") return DeviceRequest{};
  if (text == "cuda") return DeviceRequest{.device = cuda};
  absl::string_view digits = text;
  int index = 0;
  // SimpleAtoi alone would take signs and spaces.
  if (absl::ConsumePrefix(&digits, "cuda:") &&
      digits.find_first_not_of("0123456789") == absl::string_view::npos &&
      absl::SimpleAtoi(digits, &index)) {
    return DeviceRequest{.device = {.kind = cuda.kind, .index = index}};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "device: expected auto, cpu, cuda or cuda:N, got \"", text, "\""));
}

absl::StatusOr<DeviceChoice> ChooseDevice(const Environment& environment,
                                          const EngineOptions& options) {
  LADDER_ASSIGN_OR_RETURN(const DeviceRequest request,
                          ParseDevice(options.device));
  DeviceChoice choice = {.device = request.device};
  if (choice.device.kind == Device::Kind::kCuda) {
    absl::Status status = ProbeCuda(environment, options, choice.device);
    if (status.ok()) return choice;
    // Options that are wrong stay wrong: those are not for falling back.
    if (!request.automatic || !absl::IsFailedPrecondition(status)) {
      return status;
    }
    choice = {.device = Device{},
              .fallback_reason = std::string(status.message())};
  }
  absl::Status status = RunSmallGraph(environment, options, choice.device);
  if (status.ok()) return choice;
  // On the CPU nothing else can have gone wrong.
  if (options.session_config.empty()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("session_config is refused: ", status.message()));
}

}  // namespace ladder::model_store
