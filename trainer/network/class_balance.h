#ifndef LADDER_TRAINER_NETWORK_CLASS_BALANCE_H_
#define LADDER_TRAINER_NETWORK_CLASS_BALANCE_H_

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace ladder::trainer {

// One weight per class, a_y = (1 - beta) / (1 - beta^n_y) for n_y samples: one
// over the effective number of samples, which grows slower than n_y and ends at
// 1 / (1 - beta). Classes without samples get 0. InvalidArgument unless beta is
// in [0, 1) and no count is negative.
absl::StatusOr<std::vector<double>> EffectiveNumberWeights(
    std::span<const int64_t> class_counts, double beta);

// The mean over the batch of a_y times the cross-entropy of a sample with label
// y. It is not divided by the sum of the weights, as torch's weighted
// cross-entropy would be: a rare class counts for more in every batch, whatever
// else is in it. `logits` is [n, C], `labels` [n] int64, `class_weights` [C].
torch::Tensor ClassBalancedCrossEntropy(const torch::Tensor& logits,
                                        const torch::Tensor& labels,
                                        const torch::Tensor& class_weights);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_CLASS_BALANCE_H_
