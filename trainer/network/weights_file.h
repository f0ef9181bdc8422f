#ifndef LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_
#define LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_

#include <torch/nn/module.h>
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::trainer {

using NamedTensors = std::map<std::string, torch::Tensor>;

// A safetensors type and a shape as messages write them: "F32 [64, 3, 7, 7]".
std::string Describe(const torch::Tensor& tensor);

// All tensors of a safetensors file, on the CPU, each in the type that it has
// there. InvalidArgument, naming the file and what is wrong, if it breaks a
// rule of the format or has a type that LibTorch has not; NotFound if there is
// no such file.
absl::StatusOr<NamedTensors> ReadTensors(const std::filesystem::path& path);

// Writes a safetensors file of tensors of any device, in one step: a reader
// sees all or nothing of it. InvalidArgument, naming it, if a tensor is not of
// float32, float64, int64 or uint8; else what the system refuses.
absl::Status WriteTensors(const NamedTensors& tensors,
                          const std::filesystem::path& path);

// The parameters and buffers of a module by their names, shared, not copied.
NamedTensors WeightsOf(const torch::nn::Module& module);

struct LoadWeightsOptions {
  // Tensors whose names begin so are neither needed nor read, such as "fc.",
  // the classifier of torchvision's ResNets.
  std::vector<std::string> ignored_prefixes = {};
};

// Makes the parameters and buffers of `module` what the file says, wherever and
// of whatever float type they are. Counts of batches, "num_batches_tracked",
// may be missing; older checkpoints have none.
//
// InvalidArgument that lists every name that is missing or not expected, every
// other shape and every tensor that is not finite, each with what was expected
// and what was found; also as ReadTensors. The module is then as before.
absl::Status LoadWeights(const std::filesystem::path& path,
                         torch::nn::Module& module,
                         const LoadWeightsOptions& options = {});
// The same of tensors that are in memory; `name` is their file's in messages.
absl::Status CopyWeights(const NamedTensors& tensors, absl::string_view name,
                         torch::nn::Module& module,
                         const LoadWeightsOptions& options = {});

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_
