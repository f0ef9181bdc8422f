#include "trainer/network/layers.h"

#include <torch/nn/init.h>

#include <cstddef>
#include <vector>

#include "model_store/graphs/graph_ops.h"
#include "onnx/defs/attr_proto_util.h"

namespace ladder::trainer {
namespace {

using model_store::GraphBuilder;
using model_store::GraphValue;
using onnx::MakeAttribute;

torch::Tensor InDouble(const torch::Tensor& parameter) {
  return parameter.detach().to(torch::kCPU, torch::kDouble);
}

GraphValue Constant(GraphBuilder& graph, const torch::Tensor& values) {
  const torch::Tensor floats =
      values.detach().to(torch::kCPU, torch::kFloat).contiguous();
  return graph.Floats(
      floats.sizes().vec(),
      {floats.data_ptr<float>(), static_cast<size_t>(floats.numel())});
}

// A batch normalisation in evaluation mode: scale * x + shift.
struct ScaleAndShift {
  torch::Tensor scale;
  torch::Tensor shift;
};

template <typename Norm>
ScaleAndShift InEvaluation(const Norm& norm) {
  const torch::Tensor scale =
      InDouble(norm->weight) /
      (InDouble(norm->running_var) + norm->options.eps()).sqrt();
  return {.scale = scale,
          .shift = InDouble(norm->bias) - InDouble(norm->running_mean) * scale};
}

}  // namespace

GraphValue ExportLinear(const torch::nn::Linear& linear, const GraphValue& x) {
  return model_store::Linear(x, Constant(x.graph(), linear->weight),
                             Constant(x.graph(), linear->bias));
}

GraphValue ExportLinear(const torch::nn::BatchNorm1d& norm,
                        const torch::nn::Linear& linear, const GraphValue& x) {
  const ScaleAndShift affine = InEvaluation(norm);
  const torch::Tensor weight = InDouble(linear->weight);
  const torch::Tensor bias =
      InDouble(linear->bias) + weight.matmul(affine.shift);
  return model_store::Linear(x, Constant(x.graph(), weight * affine.scale),
                             Constant(x.graph(), bias));
}

GraphValue ExportRelu(const GraphValue& x) {
  return x.graph().Node("Relu", {x});
}

GraphValue ExportMaxPool(const PoolWindow& window, const GraphValue& x) {
  return x.graph().Node(
      "MaxPool", {x},
      {MakeAttribute("kernel_shape", std::vector<int64_t>(2, window.size)),
       MakeAttribute("strides", std::vector<int64_t>(2, window.stride)),
       MakeAttribute("pads", std::vector<int64_t>(4, window.padding))});
}

GraphValue ExportGlobalAverage(const GraphValue& x) {
  return ExportFlatten(x.graph().Node("GlobalAveragePool", {x}));
}

GraphValue ExportFlatten(const GraphValue& x) {
  return x.graph().Node("Flatten", {x});  // It begins at axis 1.
}

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

GraphValue ConvNorm::Export(const GraphValue& x) const {
  const ScaleAndShift affine = InEvaluation(norm_);
  const torch::Tensor weight =
      InDouble(conv_->weight) * affine.scale.reshape({-1, 1, 1, 1});
  const auto list = [](const torch::ExpandingArray<2>& sizes) {
    return std::vector<int64_t>(sizes->begin(), sizes->end());
  };
  std::vector<int64_t> pads =
      list(c10::get<torch::ExpandingArray<2>>(conv_->options.padding()));
  pads.insert(pads.end(), {pads[0], pads[1]});  // The far ends follow the near.
  return x.graph().Node(
      "Conv",
      {x, Constant(x.graph(), weight), Constant(x.graph(), affine.shift)},
      {MakeAttribute("kernel_shape", list(conv_->options.kernel_size())),
       MakeAttribute("strides", list(conv_->options.stride())),
       MakeAttribute("pads", pads)});
}

}  // namespace ladder::trainer
