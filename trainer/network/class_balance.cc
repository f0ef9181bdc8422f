#include "trainer/network/class_balance.h"

#include <torch/nn/functional/loss.h>

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ladder::trainer {

absl::StatusOr<std::vector<double>> EffectiveNumberWeights(
    std::span<const int64_t> class_counts, double beta) {
  if (!(beta >= 0 && beta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("beta: expected at least 0 and less than 1, got ", beta));
  }
  std::vector<double> weights;
  for (const int64_t count : class_counts) {
    if (count < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("count of class ", weights.size(),
                       ": expected at least 0, got ", count));
    }
    // expm1 because beta^n is close to 1 where beta is.
    weights.push_back(count == 0 ? 0
                                 : (1 - beta) /
                                       -std::expm1(static_cast<double>(count) *
                                                   std::log(beta)));
  }
  return weights;
}

torch::Tensor ClassBalancedCrossEntropy(const torch::Tensor& logits,
                                        const torch::Tensor& labels,
                                        const torch::Tensor& class_weights) {
  const torch::Tensor losses = torch::nn::functional::cross_entropy(
      logits, labels,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  return (class_weights.index_select(0, labels) * losses).mean();
}

}  // namespace ladder::trainer
