#include "trainer/network/weights_file.h"

#include <torch/utils.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "trainer/network/torch_status.h"

namespace ladder::trainer {
namespace {

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
  const auto tensors = ReadTensors(path);
  if (!tensors.ok()) return tensors.status();
  return CopyWeights(*tensors, path.string(), module, options);
}

absl::Status SaveWeights(const torch::nn::Module& module,
                         const std::filesystem::path& path) {
  return WriteTensors(WeightsOf(module), path);
}

}  // namespace ladder::trainer
