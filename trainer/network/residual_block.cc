#include "trainer/network/residual_block.h"

#include <cstddef>
#include <memory>

#include "absl/strings/str_cat.h"
#include "model_store/graphs/graph_ops.h"
#include "trainer/network/layer_export.h"

namespace ladder::trainer {
namespace {

constexpr int64_t kBottleneckExpansion = 4;

std::vector<ConvOptions> Convolutions(ResidualBlock::Kind kind,
                                      int64_t num_inputs, int64_t width,
                                      int64_t stride) {
  if (kind == ResidualBlock::Kind::kBasic) {
    return {{.num_inputs = num_inputs, .num_outputs = width, .stride = stride},
            {.num_inputs = width, .num_outputs = width}};
  }
  return {{.num_inputs = num_inputs, .num_outputs = width, .kernel = 1},
          {.num_inputs = width, .num_outputs = width, .stride = stride},
          {.num_inputs = width,
           .num_outputs = kBottleneckExpansion * width,
           .kernel = 1}};
}

}  // namespace

int64_t ResidualBlock::NumOutputs(Kind kind, int64_t width) {
  return kind == Kind::kBasic ? width : kBottleneckExpansion * width;
}

ResidualBlock::ResidualBlock(Kind kind, int64_t num_inputs, int64_t width,
                             int64_t stride) {
  for (const ConvOptions& options :
       Convolutions(kind, num_inputs, width, stride)) {
    const size_t number = convs_.size() + 1;
    convs_.emplace_back(options, *this, absl::StrCat("conv", number),
                        absl::StrCat("bn", number));
  }
  const int64_t num_outputs = NumOutputs(kind, width);
  if (stride != 1 || num_inputs != num_outputs) {
    const auto owner =
        register_module("downsample", std::make_shared<torch::nn::Module>());
    downsample_.emplace(ConvOptions{.num_inputs = num_inputs,
                                    .num_outputs = num_outputs,
                                    .kernel = 1,
                                    .stride = stride},
                        *owner, "0", "1");
  }
}

torch::Tensor ResidualBlock::Forward(const torch::Tensor& x) {
  torch::Tensor sum = convs_.front().Forward(x);
  for (size_t i = 1; i < convs_.size(); ++i) {
    sum = convs_[i].Forward(sum.relu_());
  }
  sum += downsample_.has_value() ? downsample_->Forward(x) : x;
  return sum.relu_();
}

model_store::GraphValue ResidualBlock::Export(
    const model_store::GraphValue& x) const {
  model_store::GraphValue sum = convs_.front().Export(x);
  for (size_t i = 1; i < convs_.size(); ++i) {
    sum = convs_[i].Export(ExportRelu(sum));
  }
  return ExportRelu(sum +
                    (downsample_.has_value() ? downsample_->Export(x) : x));
}

}  // namespace ladder::trainer
