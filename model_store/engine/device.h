#ifndef LADDER_MODEL_STORE_ENGINE_DEVICE_H_
#define LADDER_MODEL_STORE_ENGINE_DEVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {

class Environment;
struct EngineOptions;

// Where graphs run.
struct Device {
  enum class Kind { kCpu, kCuda };

  Kind kind = Kind::kCpu;
  int index = 0;  // The number of the CUDA device.

  std::string Name() const;  // "cpu" or "cuda:N".
};

// What a user asked for.
struct DeviceRequest {
  bool automatic = false;  // Take `device` if it can be had, else the CPU.
  Device device = {};
};

// "auto", "cpu", "cuda" or "cuda:N". InvalidArgument for others.
absl::StatusOr<DeviceRequest> ParseDevice(absl::string_view text);

struct DeviceChoice {
  Device device = {};
  std::string fallback_reason = {};  // Why `auto` took the CPU.
};

// The device that `options.device` asks for, after it has run a small graph.
// InvalidArgument if the options are refused; FailedPrecondition, naming the
// missing piece, if CUDA was asked for and cannot be had.
absl::StatusOr<DeviceChoice> ChooseDevice(const Environment& environment,
                                          const EngineOptions& options);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_DEVICE_H_
