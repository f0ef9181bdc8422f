#include "trainer/fit/checkpoint.h"

#include <torch/utils.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "trainer/network/torch_status.h"
#include "trainer/network/weights_file.h"

namespace ladder::trainer {
namespace {

using torch::optim::AdamWParamState;

constexpr char kStep[] = "step";
constexpr char kNetwork[] = "network.";
constexpr char kMoment1[] = "moment1.";
constexpr char kMoment2[] = "moment2.";
constexpr char kUpdates[] = "updates.";  // How many steps updated a parameter.

std::string StateKey(const torch::Tensor& parameter) {
  return c10::guts::to_string(parameter.unsafeGetTensorImpl());
}

absl::Status CopyMoments(const NamedTensors& tensors, absl::string_view file,
                         const torch::nn::Module& network,
                         torch::optim::AdamW& optimizer) {
  for (const auto& parameter : network.named_parameters()) {
    const auto updates = tensors.find(kUpdates + parameter.key());
    // A parameter that no step has reached yet has no moments.
    if (updates == tensors.end()) continue;
    const auto first = tensors.find(kMoment1 + parameter.key());
    const auto second = tensors.find(kMoment2 + parameter.key());
    for (const auto& moment : {first, second}) {
      if (moment == tensors.end() ||
          moment->second.sizes() != parameter.value().sizes()) {
        return absl::InvalidArgumentError(absl::StrCat(
            file, ": ", kMoment1, " and ", kMoment2, parameter.key(),
            ": expected ", Describe(parameter.value()), ", found others"));
      }
    }
    auto state = std::make_unique<AdamWParamState>();
    const torch::Device device = parameter.value().device();
    state->step(updates->second.item<int64_t>());
    state->exp_avg(first->second.to(device, /*non_blocking=*/false,
                                    /*copy=*/true));
    state->exp_avg_sq(second->second.to(device, /*non_blocking=*/false,
                                        /*copy=*/true));
    optimizer.state()[StateKey(parameter.value())] = std::move(state);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SaveCheckpoint(const std::filesystem::path& path,
                            const torch::nn::Module& network,
                            const torch::optim::AdamW& optimizer,
                            uint64_t step) {
  NamedTensors tensors;
  for (const auto& [name, tensor] : WeightsOf(network)) {
    tensors.emplace(kNetwork + name, tensor);
  }
  for (const auto& parameter : network.named_parameters()) {
    const auto found = optimizer.state().find(StateKey(parameter.value()));
    if (found == optimizer.state().end()) continue;
    const auto& state = static_cast<const AdamWParamState&>(*found->second);
    tensors.emplace(kUpdates + parameter.key(),
                    torch::scalar_tensor(state.step(), torch::kLong));
    tensors.emplace(kMoment1 + parameter.key(), state.exp_avg());
    tensors.emplace(kMoment2 + parameter.key(), state.exp_avg_sq());
  }
  tensors.emplace(
      kStep, torch::scalar_tensor(static_cast<int64_t>(step), torch::kLong));
  return WriteTensors(tensors, path);
}

absl::StatusOr<uint64_t> LoadCheckpoint(const std::filesystem::path& path,
                                        torch::nn::Module& network,
                                        torch::optim::AdamW& optimizer) {
  LADDER_ASSIGN_OR_RETURN(const auto tensors, ReadTensors(path));
  NamedTensors weights;
  for (const auto& [name, tensor] : tensors) {
    if (absl::StartsWith(name, kNetwork)) {
      weights.emplace(name.substr(sizeof(kNetwork) - 1), tensor);
    }
  }
  const auto step = tensors.find(kStep);
  if (step == tensors.end() || step->second.numel() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.string(), ": ", kStep, ": expected one integer, found none"));
  }
  LADDER_RETURN_IF_ERROR(CopyWeights(weights, path.string(), network));
  LADDER_RETURN_IF_ERROR(CatchTorchErrors(
      [&] { return CopyMoments(tensors, path.string(), network, optimizer); }));
  return static_cast<uint64_t>(step->second.item<int64_t>());
}

}  // namespace ladder::trainer
