#ifndef LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_
#define LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_

#include <torch/nn/module.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "trainer/network/tensor_file.h"

namespace ladder::trainer {

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

// Writes what LoadWeights reads. Errors as WriteTensors.
absl::Status SaveWeights(const torch::nn::Module& module,
                         const std::filesystem::path& path);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_WEIGHTS_FILE_H_
