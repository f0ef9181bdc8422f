#include "model_store/engine/runtime.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/system/control_group.h"
#include "model_store/engine/device.h"
#include "model_store/engine/ort_status.h"

namespace ladder::model_store {
namespace {

// Beyond this a number is a slip: far more than any machine has or can hold.
constexpr size_t kMostThreads = 4096;
constexpr size_t kMostRows = size_t{1} << 20;

absl::Status CheckCount(absl::string_view option, size_t lowest, size_t highest,
                        size_t value) {
  if (lowest <= value && value <= highest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option, ": expected ", lowest, " to ", highest, ", got ", value));
}

absl::Status CheckOptions(const EngineOptions& options) {
  LADDER_RETURN_IF_ERROR(
      CheckCount("instances", 1, kMostThreads, options.instances));
  LADDER_RETURN_IF_ERROR(
      CheckCount("threads", 0, kMostThreads, options.threads));
  if (options.batch_sizes.empty()) {
    return absl::InvalidArgumentError(
        "batch_sizes: expected at least one, got none");
  }
  size_t previous = 0;
  for (const size_t size : options.batch_sizes) {
    if (size <= previous) {
      return absl::InvalidArgumentError(absl::StrCat(
          "batch_sizes: expected positive and ascending sizes, got ", size,
          " after ", previous));
    }
    previous = size;
  }
  return CheckCount("batch_sizes", 1, kMostRows, previous);
}

Ort::MemoryInfo DeviceMemory(const Device& device) {
  if (device.kind == Device::Kind::kCpu) {
    return Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  }
  return Ort::MemoryInfo("Cuda", OrtDeviceAllocator, device.index,
                         OrtMemTypeDefault);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Runtime>> Runtime::Create(
    EngineOptions options, EngineLog log) {
  LADDER_RETURN_IF_ERROR(CheckOptions(options));
  LADDER_ASSIGN_OR_RETURN(std::shared_ptr<Environment> environment,
                          Environment::Get(options.host_arena_limit));
  // The log hears nothing of this: what goes wrong here is in the status, once.
  LADDER_ASSIGN_OR_RETURN(DeviceChoice choice,
                          ChooseDevice(*environment, options));
  return CatchOrt("starting the engine", [&] {
    return std::shared_ptr<const Runtime>(
        new Runtime(std::move(options), std::move(log), std::move(environment),
                    choice.device, std::move(choice.fallback_reason)));
  });
}

Runtime::Runtime(EngineOptions options, EngineLog log,
                 std::shared_ptr<Environment> environment, Device device,
                 std::string fallback_reason)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      log_(environment_, std::move(log)),
      device_(device),
      fallback_reason_(std::move(fallback_reason)),
      num_threads_(options_.threads > 0 ? options_.threads
                                        : base::GrantedCpus()),
      host_memory_(
          Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault)),
      device_memory_(DeviceMemory(device_)) {}

size_t Runtime::num_sessions(GraphRole role) const {
  const bool alone =
      device_.kind == Device::Kind::kCpu || role == GraphRole::kRows;
  return alone ? 1 : options_.instances;
}

absl::StatusOr<Ort::Session> Runtime::CreateSession(
    std::span<const std::byte> model, absl::string_view name,
    GraphRole role) const {
  // The threads that call Run work too, one for each instance; the rest are
  // the session's own.
  const size_t shared =
      num_threads_ - std::min(num_threads_, options_.instances) + 1;
  LADDER_ASSIGN_OR_RETURN(
      const Ort::SessionOptions options,
      MakeSessionOptions(options_, device_, role,
                         role == GraphRole::kRows ? 1 : shared));
  return CatchOrt(name, [&] {
    return Ort::Session(environment_->env(), model.data(), model.size(),
                        options);
  });
}

Tensor::Place Runtime::device_place() const {
  return device_.kind == Device::Kind::kCpu ? Tensor::Place::kHost
                                            : Tensor::Place::kDevice;
}

const Ort::MemoryInfo& Runtime::memory(Tensor::Place place) const {
  return place == Tensor::Place::kHost ? host_memory_ : device_memory_;
}

void Runtime::NoteRun(const absl::Status& status) const {
  if (status.ok()) {
    num_failed_runs_ = 0;
  } else if (!absl::IsCancelled(status) && !absl::IsInvalidArgument(status)) {
    ++num_failed_runs_;
  }
}

// The C library would keep what is freed, in pieces between what is in use: for
// one model, the copy of it that ONNX Runtime parses and, later, the weights.
void Runtime::AfterLoad() const { malloc_trim(0); }

void Runtime::AfterUnload() const {
  environment_->arena().Shrink();
  malloc_trim(0);
}

}  // namespace ladder::model_store
