#ifndef LADDER_TRAINER_FIT_CHECKPOINT_H_
#define LADDER_TRAINER_FIT_CHECKPOINT_H_

#include <torch/nn/module.h>
#include <torch/optim/adamw.h>

#include <cstdint>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ladder::trainer {

// All that stage 1 needs to go on after `step` steps as if it had never
// stopped, in one safetensors file: weights, AdamW's moments and the step. The
// generator's state is not among it, because every step seeds it anew.

// Errors as WriteTensors; the file is written in one step.
absl::Status SaveCheckpoint(const std::filesystem::path& path,
                            const torch::nn::Module& network,
                            const torch::optim::AdamW& optimizer,
                            uint64_t step);

// Sets `network` and `optimizer`, which must be of the same parameters, and
// returns the step. NotFound if there is no such file; InvalidArgument, naming
// file and tensors, if it is another network's.
absl::StatusOr<uint64_t> LoadCheckpoint(const std::filesystem::path& path,
                                        torch::nn::Module& network,
                                        torch::optim::AdamW& optimizer);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_FIT_CHECKPOINT_H_
