#include "trainer/network/conv_norm.h"

#include <torch/nn/init.h>

#include "trainer/network/layer_export.h"

namespace ladder::trainer {

torch::Tensor InFastLayout(const torch::Tensor& x) {
  return x.is_cpu() ? x.contiguous(torch::MemoryFormat::ChannelsLast) : x;
}

ConvNorm::ConvNorm(const ConvOptions& options, torch::nn::Module& owner,
                   const std::string& conv_name, const std::string& norm_name)
    : conv_(torch::nn::Conv2dOptions(options.num_inputs, options.num_outputs,
                                     options.kernel)
                .stride(options.stride)
                .padding(options.kernel / 2)
                .bias(false)),
      norm_(options.num_outputs) {
  torch::nn::init::kaiming_normal_(conv_->weight, /*a=*/0, torch::kFanOut,
                                   torch::kReLU);
  owner.register_module(conv_name, conv_);
  owner.register_module(norm_name, norm_);
}

torch::Tensor ConvNorm::Forward(const torch::Tensor& x) {
  return norm_->forward(conv_->forward(x));
}

model_store::GraphValue ConvNorm::Export(
    const model_store::GraphValue& x) const {
  return ExportConvolution(conv_, norm_, x);
}

}  // namespace ladder::trainer
