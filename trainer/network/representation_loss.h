#ifndef LADDER_TRAINER_NETWORK_REPRESENTATION_LOSS_H_
#define LADDER_TRAINER_NETWORK_REPRESENTATION_LOSS_H_

#include <torch/types.h>

#include "trainer/network/ladder_network.h"

namespace ladder::trainer {

// The identity whose gradient is multiplied by -scale: what is behind it learns
// a task, and what is before it learns to make the task hard.
torch::Tensor ReverseGradient(const torch::Tensor& x, double scale);

// The weights of stage 1's loss; the defaults are the paper's.
struct LossWeights {
  double style_domain = 0.15;    // lambda_s
  double adversarial = 0.03;     // lambda_a
  double orthogonality = 5e-4;   // lambda_o
  double regularization = 1e-5;  // lambda_r
};

// The parts of stage 1's loss on one batch, unweighted, and their weighted sum.
struct RepresentationLoss {
  torch::Tensor label;           // L_cls
  torch::Tensor style_domain;    // L_sd
  torch::Tensor content_domain;  // L_cd, behind gradient reversal
  torch::Tensor orthogonality;   // L_orth
  torch::Tensor regularization;  // L_reg, over both branches
  torch::Tensor total;
};

// L_cls + lambda_s L_sd + lambda_a L_cd + lambda_o L_orth + lambda_r L_reg. The
// first three are sums over the batch's domains of the mean over a domain's
// samples. The reversal in L_cd scales by lambda_a once more, so that the
// encoder sees -lambda_a^2 times its gradient, and the classifier lambda_a
// times. All terms but the regulariser see the drawn codes.
//
// `x` is [n, sample shape]; `labels` and `domains` are [n] int64. Throws what
// LibTorch throws.
RepresentationLoss ComputeRepresentationLoss(LadderNetwork& network,
                                             const torch::Tensor& x,
                                             const torch::Tensor& labels,
                                             const torch::Tensor& domains,
                                             const LossWeights& weights);

// The sum over the domains that occur of the mean cross-entropy over a domain's
// samples: `logits` [n, C], `targets` [n] below C, `domains` [n].
torch::Tensor CrossEntropyOverDomains(const torch::Tensor& logits,
                                      const torch::Tensor& targets,
                                      const torch::Tensor& domains);

// The squared Frobenius norm of the cross-covariance of two codes over a batch,
// [n, d_a] and [n, d_b]: centred by the batch's means and divided by n - 1, as
// an unbiased estimate of a covariance is. Zero for one sample.
torch::Tensor SquaredCrossCovariance(const torch::Tensor& a,
                                     const torch::Tensor& b);

// D_KL(N(mean, exp(log_variance)) || N(0, 1)), summed over dimensions and
// averaged over the batch.
torch::Tensor GaussianDivergence(const torch::Tensor& mean,
                                 const torch::Tensor& log_variance);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_REPRESENTATION_LOSS_H_
