#ifndef LADDER_MODEL_STORE_ENGINE_DEVICE_CHOICE_H_
#define LADDER_MODEL_STORE_ENGINE_DEVICE_CHOICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "model_store/engine/device.h"
#include "model_store/engine/engine.h"
#include "model_store/engine/environment.h"

namespace ladder::model_store {

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

#endif  // LADDER_MODEL_STORE_ENGINE_DEVICE_CHOICE_H_
