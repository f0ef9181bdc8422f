#include "trainer/network/weights_file.h"

#include <torch/utils.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/safetensors.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {
namespace {

namespace fs = std::filesystem;
using model_store::FileBytes;
using model_store::Safetensors;
using model_store::SafetensorsEntry;
using model_store::SafetensorsWriter;

constexpr struct {
  absl::string_view name;  // What safetensors calls the type.
  torch::ScalarType type;
} kTypes[] = {{"BOOL", torch::kBool}, {"U8", torch::kUInt8},
              {"I8", torch::kInt8},   {"I16", torch::kInt16},
              {"I32", torch::kInt32}, {"I64", torch::kInt64},
              {"F16", torch::kHalf},  {"BF16", torch::kBFloat16},
              {"F32", torch::kFloat}, {"F64", torch::kDouble}};

std::optional<torch::ScalarType> TypeNamed(absl::string_view name) {
  for (const auto& known : kTypes) {
    if (known.name == name) return known.type;
  }
  return {};
}

absl::string_view NameOf(torch::ScalarType type) {
  for (const auto& known : kTypes) {
    if (known.type == type) return known.name;
  }
  return c10::toString(type);
}

// Copies: the format does not promise alignment.
torch::Tensor ToTensor(const SafetensorsEntry& entry, torch::ScalarType type) {
  const std::vector<int64_t> shape(entry.shape.begin(), entry.shape.end());
  torch::Tensor tensor = torch::empty(shape, type);
  if (!entry.bytes.empty()) {
    std::memcpy(tensor.data_ptr(), entry.bytes.data(), entry.bytes.size());
  }
  return tensor;
}

template <typename T>
void Add(const std::string& name, const torch::Tensor& tensor,
         SafetensorsWriter& writer) {
  const auto sizes = tensor.sizes();
  writer.Add<T>(name, {sizes.begin(), sizes.end()},
                {tensor.data_ptr<T>(), static_cast<size_t>(tensor.numel())});
}

absl::Status AddAny(const std::string& name, const torch::Tensor& tensor,
                    SafetensorsWriter& writer) {
  switch (tensor.scalar_type()) {
    case torch::kFloat:
      Add<float>(name, tensor, writer);
      return absl::OkStatus();
    case torch::kDouble:
      Add<double>(name, tensor, writer);
      return absl::OkStatus();
    case torch::kInt64:
      Add<int64_t>(name, tensor, writer);
      return absl::OkStatus();
    case torch::kUInt8:
      Add<uint8_t>(name, tensor, writer);
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected F32, F64, I64 or U8, found ",
                       NameOf(tensor.scalar_type())));
  }
}

bool IsIgnored(absl::string_view name, const LoadWeightsOptions& options) {
  return std::any_of(options.ignored_prefixes.begin(),
                     options.ignored_prefixes.end(),
                     [name](const std::string& prefix) {
                       return absl::StartsWith(name, prefix);
                     });
}

bool IsOptional(absl::string_view name) {
  return name == "num_batches_tracked" ||
         absl::EndsWith(name, ".num_batches_tracked");
}

bool IsCompatible(const torch::Tensor& expected, const torch::Tensor& found) {
  return expected.sizes() == found.sizes() &&
         expected.is_floating_point() == found.is_floating_point();
}

// One line for everything that keeps `found` from becoming `expected`.
std::vector<std::string> Differences(const NamedTensors& expected,
                                     const NamedTensors& found,
                                     const LoadWeightsOptions& options) {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& name, const auto& wanted,
                            const auto& got) {
    lines.push_back(absl::StrCat(name, ": expected ", wanted, ", found ", got));
  };
  for (const auto& [name, tensor] : expected) {
    if (IsIgnored(name, options)) continue;
    const auto match = found.find(name);
    if (match == found.end()) {
      if (!IsOptional(name)) add(name, Describe(tensor), "no such tensor");
    } else if (!IsCompatible(tensor, match->second)) {
      add(name, Describe(tensor), Describe(match->second));
    } else if (!match->second.isfinite().all().item<bool>()) {
      add(name, "finite numbers", "others");
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!IsIgnored(name, options) && expected.count(name) == 0) {
      add(name, "no such tensor", Describe(tensor));
    }
  }
  return lines;
}

}  // namespace

std::string Describe(const torch::Tensor& tensor) {
  return absl::StrCat(NameOf(tensor.scalar_type()), " [",
                      absl::StrJoin(tensor.sizes(), ", "), "]");
}

absl::StatusOr<NamedTensors> ReadTensors(const fs::path& path) {
  // Links are common where checkpoints are shared; FileBytes takes none.
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  LADDER_ASSIGN_OR_RETURN(const FileBytes file,
                          FileBytes::Read(error ? path : target));
  LADDER_ASSIGN_OR_RETURN(const auto parsed,
                          Safetensors::Parse(file.bytes(), path.string()));
  NamedTensors tensors;
  LADDER_RETURN_IF_ERROR(CatchTorchErrors([&] {
    for (const auto& [name, entry] : parsed.tensors()) {
      const std::optional<torch::ScalarType> type = TypeNamed(entry.type);
      if (!type.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(
            path.string(), ": ", name,
            ": expected a type that LibTorch has, found ", entry.type));
      }
      tensors.emplace(name, ToTensor(entry, *type));
    }
    return absl::OkStatus();
  }));
  return tensors;
}

absl::Status WriteTensors(const NamedTensors& tensors, const fs::path& path) {
  std::vector<torch::Tensor> alive;  // What the writer looks at.
  SafetensorsWriter writer;
  const auto add_all = [&] {
    for (const auto& [name, tensor] : tensors) {
      alive.push_back(tensor.detach().to(torch::kCPU).contiguous());
      LADDER_RETURN_IF_ERROR(AddAny(name, alive.back(), writer));
    }
    return absl::OkStatus();
  };
  LADDER_RETURN_IF_ERROR(CatchTorchErrors(add_all));
  return base::ReplaceFile(path, writer.Serialize());
}

NamedTensors WeightsOf(const torch::nn::Module& module) {
  NamedTensors weights;
  for (const auto& tensors :
       {module.named_parameters(), module.named_buffers()}) {
    for (const auto& tensor : tensors) {
      weights.emplace(tensor.key(), tensor.value());
    }
  }
  return weights;
}

absl::Status CopyWeights(const NamedTensors& tensors, absl::string_view name,
                         torch::nn::Module& module,
                         const LoadWeightsOptions& options) {
  return CatchTorchErrors([&] {
    NamedTensors weights = WeightsOf(module);
    const std::vector<std::string> differences =
        Differences(weights, tensors, options);
    if (!differences.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": does not fit the network:\n  ",
                       absl::StrJoin(differences, "\n  ")));
    }
    const torch::NoGradGuard no_grad;
    for (auto& [key, weight] : weights) {
      const auto match = tensors.find(key);
      if (match != tensors.end() && !IsIgnored(key, options)) {
        weight.copy_(match->second);
      }
    }
    return absl::OkStatus();
  });
}

absl::Status LoadWeights(const std::filesystem::path& path,
                         torch::nn::Module& module,
                         const LoadWeightsOptions& options) {
  LADDER_ASSIGN_OR_RETURN(const auto tensors, ReadTensors(path));
  return CopyWeights(tensors, path.string(), module, options);
}

}  // namespace ladder::trainer
