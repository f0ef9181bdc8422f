#ifndef LADDER_TRAINER_NETWORK_POOLED_RISK_H_
#define LADDER_TRAINER_NETWORK_POOLED_RISK_H_

#include <torch/types.h>

#include <cstdint>

namespace ladder::trainer {

// How a baseline turns the risks of the sources into one loss. docs/methods.md
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
