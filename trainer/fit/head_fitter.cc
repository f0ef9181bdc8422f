#include "trainer/fit/head_fitter.h"

#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>

#include <vector>

#include "trainer/data/domain_sampler.h"
#include "trainer/network/class_balance.h"

namespace ladder::trainer {
namespace {

torch::Tensor HeadLoss(const torch::Tensor& logits, const torch::Tensor& labels,
                       const torch::Tensor& class_weights) {
  return class_weights.defined()
             ? ClassBalancedCrossEntropy(logits, labels, class_weights)
             : torch::nn::functional::cross_entropy(logits, labels);
}

torch::Tensor Logits(const Head& head, const torch::Tensor& content) {
  return torch::addmm(head.bias, content, head.weight.t());
}

}  // namespace

FittedHead FitHead(const torch::Tensor& content, const torch::Tensor& labels,
                   const Head& start, const HeadOptions& options) {
  const Head head = {start.weight.detach().clone().set_requires_grad(true),
                     start.bias.detach().clone().set_requires_grad(true)};
  torch::optim::AdamW optimizer(
      std::vector<torch::Tensor>{head.weight, head.bias},
      torch::optim::AdamWOptions(options.learning_rate)
          .weight_decay(options.weight_decay));
  std::vector<size_t> rows(static_cast<size_t>(content.size(0)));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto sampler =
      DomainSampler::Create({rows}, {.batch_size = options.batch_size,
                                     .domains_per_step = 1,
                                     .seed = options.seed});
  for (uint64_t update = 0; update < options.num_updates; ++update) {
    const std::vector<size_t> batch = sampler->Batch(update);
    const torch::Tensor index =
        torch::tensor(std::vector<int64_t>(batch.begin(), batch.end()),
                      torch::kLong)
            .to(content.device());
    optimizer.zero_grad();
    HeadLoss(Logits(head, content.index_select(0, index)),
             labels.index_select(0, index), options.class_weights)
        .backward();
    optimizer.step();
  }
  const torch::NoGradGuard no_grad;
  return {.head = {head.weight.detach(), head.bias.detach()},
          .mean_loss =
              HeadLoss(Logits(head, content), labels, options.class_weights)
                  .item<double>()};
}

}  // namespace ladder::trainer
