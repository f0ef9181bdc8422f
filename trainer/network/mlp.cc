#include "trainer/network/mlp.h"

#include "trainer/network/layer_export.h"

namespace ladder::trainer {

Mlp::Mlp(int64_t num_inputs)
    : norm_(num_inputs),
      hidden1_(num_inputs, kWidth),
      hidden2_(kWidth, kWidth) {
  register_module("norm", norm_);
  register_module("hidden1", hidden1_);
  register_module("hidden2", hidden2_);
}

torch::Tensor Mlp::Forward(const torch::Tensor& x) {
  const torch::Tensor inputs = norm_->forward(x.flatten(1));
  return hidden2_->forward(hidden1_->forward(inputs).relu_()).relu_();
}

model_store::GraphValue Mlp::Export(const model_store::GraphValue& x) const {
  const auto hidden =
      ExportRelu(ExportLinear(norm_, hidden1_, ExportFlatten(x)));
  return ExportRelu(ExportLinear(hidden2_, hidden));
}

}  // namespace ladder::trainer
