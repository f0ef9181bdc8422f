#ifndef LADDER_TRAINER_NETWORK_RESIDUAL_BLOCK_H_
#define LADDER_TRAINER_NETWORK_RESIDUAL_BLOCK_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/network/conv_norm.h"

namespace ladder::trainer {

// A block of a ResNet as torchvision has it, by its names (conv1, bn1, ...,
// downsample.0, downsample.1): relu(convolutions(x) + x), where x goes through
// a convolution of its own if its size changes.
class ResidualBlock : public torch::nn::Module {
 public:
  enum class Kind {
    kBasic,       // Two 3x3 convolutions, the stride in the first.
    kBottleneck,  // 1x1, 3x3 with the stride (version 1.5), 1x1.
  };

  // `width` is the number of channels of the 3x3 convolutions.
  ResidualBlock(Kind kind, int64_t num_inputs, int64_t width, int64_t stride);

  // The channels that come out.
  static int64_t NumOutputs(Kind kind, int64_t width);

  torch::Tensor Forward(const torch::Tensor& x);
  model_store::GraphValue Export(const model_store::GraphValue& x) const;

 private:
  std::vector<ConvNorm> convs_;
  std::optional<ConvNorm> downsample_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_RESIDUAL_BLOCK_H_
