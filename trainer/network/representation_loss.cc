#include "trainer/network/representation_loss.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/functional/loss.h>

#include <algorithm>

namespace ladder::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Reversal : torch::autograd::Function<Reversal> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               double scale) {
    context->saved_data["scale"] = scale;
    return x.view_as(x);  // Not `x` itself, whose history would be replaced.
  }

  static variable_list backward(AutogradContext* context,
                                const variable_list& gradients) {
    const double scale = context->saved_data["scale"].toDouble();
    return {-scale * gradients[0], torch::Tensor()};  // None for the scale.
  }
};

torch::Tensor Regularization(const LadderNetwork::Codes& codes) {
  if (!codes.content.log_variance.defined()) {
    return torch::zeros({}, codes.content.mean.options());
  }
  return GaussianDivergence(codes.content.mean, codes.content.log_variance) +
         GaussianDivergence(codes.style.mean, codes.style.log_variance);
}

}  // namespace

torch::Tensor ReverseGradient(const torch::Tensor& x, double scale) {
  return Reversal::apply(x, scale);
}

torch::Tensor CrossEntropyOverDomains(const torch::Tensor& logits,
                                      const torch::Tensor& targets,
                                      const torch::Tensor& domains) {
  const torch::Tensor losses = torch::nn::functional::cross_entropy(
      logits, targets,
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
  // Each sample's number of neighbours, by comparing all pairs: batches are
  // small, and bincount would make a GPU wait for the host.
  const torch::Tensor counts =
      domains.unsqueeze(0).eq(domains.unsqueeze(1)).sum(0);
  return (losses / counts).sum();
}

torch::Tensor SquaredCrossCovariance(const torch::Tensor& a,
                                     const torch::Tensor& b) {
  const torch::Tensor centred_a = a - a.mean(0, /*keepdim=*/true);
  const torch::Tensor centred_b = b - b.mean(0, /*keepdim=*/true);
  const auto divisor = static_cast<double>(std::max<int64_t>(a.size(0) - 1, 1));
  return (centred_a.t().matmul(centred_b) / divisor).square().sum();
}

torch::Tensor GaussianDivergence(const torch::Tensor& mean,
                                 const torch::Tensor& log_variance) {
  const torch::Tensor divergences =
      0.5 * (mean.square() + log_variance.exp() - 1 - log_variance);
  return divergences.sum(1).mean();
}

RepresentationLoss ComputeRepresentationLoss(LadderNetwork& network,
                                             const torch::Tensor& x,
                                             const torch::Tensor& labels,
                                             const torch::Tensor& domains,
                                             const LossWeights& weights) {
  const LadderNetwork::Codes codes = network.Encode(x);
  const torch::Tensor& z_c = codes.content.z;
  const torch::Tensor& z_s = codes.style.z;
  RepresentationLoss loss{.label = CrossEntropyOverDomains(
                              network.LabelLogits(z_c), labels, domains),
                          .style_domain = CrossEntropyOverDomains(
                              network.StyleDomainLogits(z_s), domains, domains),
                          .content_domain = CrossEntropyOverDomains(
                              network.ContentDomainLogits(
                                  ReverseGradient(z_c, weights.adversarial)),
                              domains, domains),
                          .orthogonality = SquaredCrossCovariance(z_c, z_s),
                          .regularization = Regularization(codes),
                          .total = {}};
  loss.total = loss.label + weights.style_domain * loss.style_domain +
               weights.adversarial * loss.content_domain +
               weights.orthogonality * loss.orthogonality +
               weights.regularization * loss.regularization;
  return loss;
}

}  // namespace ladder::trainer
