#ifndef LADDER_TRAINER_NETWORK_TENSOR_FILE_H_
#define LADDER_TRAINER_NETWORK_TENSOR_FILE_H_

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_TENSOR_FILE_H_
