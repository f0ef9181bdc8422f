#ifndef LADDER_TRAINER_FIT_DEVICE_H_
#define LADDER_TRAINER_FIT_DEVICE_H_

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::trainer {

// "auto" takes CUDA where LibTorch has it and a device answers, else the CPU;
// "cpu"; "cuda" or "cuda:N". InvalidArgument for another name;
// FailedPrecondition if CUDA was asked for and cannot be had, saying what is
// missing.
absl::StatusOr<torch::Device> ChooseTrainingDevice(absl::string_view name);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_DEVICE_H_
