#ifndef LADDER_TRAINER_NETWORK_POOLED_RISK_H_
#define LADDER_TRAINER_NETWORK_POOLED_RISK_H_

#include <torch/nn/module.h>
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

// A number for every source, learned, that shifts the label logits along one
// direction: the index of DSNR as we understand it (docs/methods.md).
class DomainIndex : public torch::nn::Module {
 public:
  // The numbers start evenly between -1 and 1, the direction at zero.
  DomainIndex(int64_t num_sources, int64_t num_classes);

  // These are added to the logits of each source, [num_sources, num_classes].
  torch::Tensor Offsets() const;

 private:
  torch::Tensor index_;
  torch::Tensor direction_;
};

// A baseline turns the risks of the sources into one loss by its method.
// docs/methods.md
// says how each paper was understood.
enum class PooledMethod {
  kErm,   // Their mean.
  kIrm,   // Their mean and how far each is from its best scale of the logits.
  kEqrm,  // A quantile of them.
  kRdm,   // Their mean and how far the worst one's losses lie from all.
};

struct PooledOptions {
  PooledMethod method = PooledMethod::kErm;
  double irm_weight = 100;
  // Steps in which the weights of IRM and RDM are 1 and 0: an untrained
  // network's penalty says nothing.
  int64_t warmup_steps = 500;
  double eqrm_quantile = 0.75;
  double rdm_weight = 5;
};

// The loss of one batch at `step`: logits [n, C], labels [n] int64 and domains
// [n] of its samples. `class_weights` [C] multiplies the loss of each sample by
// its label's weight; undefined for none. A domain's risk is the mean loss of
// its samples. Throws what LibTorch throws.
torch::Tensor PooledRisk(const torch::Tensor& logits,
                         const torch::Tensor& labels,
                         const torch::Tensor& domains,
                         const torch::Tensor& class_weights,
                         const PooledOptions& options, int64_t step);

// The squared maximum mean discrepancy, biased, of two samples of scalars, [n]
// and [m], by a sum of Gaussian kernels of widths that span the range of a
// cross-entropy.
torch::Tensor SquaredDiscrepancy(const torch::Tensor& a,
                                 const torch::Tensor& b);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_POOLED_RISK_H_
