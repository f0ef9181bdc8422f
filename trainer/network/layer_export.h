#ifndef LADDER_TRAINER_NETWORK_LAYER_EXPORT_H_
#define LADDER_TRAINER_NETWORK_LAYER_EXPORT_H_

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

#include "model_store/graphs/graph_builder.h"

namespace ladder::trainer {

// Layers of a network as nodes of an ONNX graph, as they are in evaluation mode
// and with the parameters of now, from whatever device. All are float32.

// `norm(conv(x))` as one convolution: in evaluation mode the normalisation only
// scales and shifts, which is multiplied into the weights in double. The
// convolution has zero padding, one group and no bias.
model_store::GraphValue ExportConvolution(const torch::nn::Conv2d& conv,
                                          const torch::nn::BatchNorm2d& norm,
                                          const model_store::GraphValue& x);

model_store::GraphValue ExportLinear(const torch::nn::Linear& linear,
                                     const model_store::GraphValue& x);
// `linear(norm(x))`, the normalisation multiplied into the weights.
model_store::GraphValue ExportLinear(const torch::nn::BatchNorm1d& norm,
                                     const torch::nn::Linear& linear,
                                     const model_store::GraphValue& x);

model_store::GraphValue ExportRelu(const model_store::GraphValue& x);

// The largest of each square window of the last two dimensions; padding never
// wins.
struct PoolWindow {
  int64_t size = 2;
  int64_t stride = 2;
  int64_t padding = 0;
};
model_store::GraphValue ExportMaxPool(const PoolWindow& window,
                                      const model_store::GraphValue& x);

// [n, c, h, w] to the means [n, c].
model_store::GraphValue ExportGlobalAverage(const model_store::GraphValue& x);
// [n, ...] to [n, product of the rest].
model_store::GraphValue ExportFlatten(const model_store::GraphValue& x);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_LAYER_EXPORT_H_
