#include "trainer/network/code_branch.h"

#include <torch/nn/init.h>

#include "trainer/network/layer_export.h"

namespace ladder::trainer {

CodeBranch::CodeBranch(int64_t num_features, int64_t dimension,
                       bool variational)
    : mean_(num_features, dimension) {
  register_module("mean", mean_);
  if (variational) {
    log_variance_ = register_module("log_variance",
                                    torch::nn::Linear(num_features, dimension));
    torch::nn::init::constant_(log_variance_->bias, kFirstLogVariance);
  }
}

Code CodeBranch::Forward(const torch::Tensor& features) {
  const torch::Tensor mean = mean_->forward(features);
  Code code{.z = mean, .mean = mean, .log_variance = {}};
  if (log_variance_.is_empty()) return code;
  code.log_variance = log_variance_->forward(features).clamp(
      -kLargestLogVariance, kLargestLogVariance);
  if (is_training()) {
    code.z = mean + (0.5 * code.log_variance).exp() * torch::randn_like(mean);
  }
  return code;
}

model_store::GraphValue CodeBranch::Export(
    const model_store::GraphValue& features) const {
  return ExportLinear(mean_, features);
}

}  // namespace ladder::trainer
