#ifndef LADDER_TRAINER_NETWORK_LAYERS_H_
#define LADDER_TRAINER_NETWORK_LAYERS_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <string>

#include "model_store/graphs/graph_builder.h"

namespace ladder::trainer {

// The Export functions write layers of a network as nodes of an ONNX graph, as
// they are in evaluation mode and with the parameters of now, from whatever
// device. All are float32.

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

struct ConvOptions {
  int64_t num_inputs = 0;  // Channels.
  int64_t num_outputs = 0;
  int64_t kernel = 3;  // Odd; zero padding keeps the size where stride is 1.
  int64_t stride = 1;
};

// The same pictures, [n, c, h, w], in the layout in which convolutions, batch
// normalisations and pooling are fastest: on the CPU, channels last. It stays
// so through all layers that follow.
torch::Tensor InFastLayout(const torch::Tensor& x);

// A convolution without bias and the batch normalisation behind it, which two
// modules of any names and owners hold. Weights start as Kaiming normals of the
// outgoing connections, the normalisation as the identity.
class ConvNorm {
 public:
  // Registers the modules with `owner`.
  ConvNorm(const ConvOptions& options, torch::nn::Module& owner,
           const std::string& conv_name, const std::string& norm_name);

  torch::Tensor Forward(const torch::Tensor& x);
  // One convolution: in evaluation mode the normalisation only scales and
  // shifts, which is multiplied into the weights in double.
  model_store::GraphValue Export(const model_store::GraphValue& x) const;

 private:
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_LAYERS_H_
