#ifndef LADDER_TRAINER_NETWORK_CONV_NORM_H_
#define LADDER_TRAINER_NETWORK_CONV_NORM_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <string>

namespace ladder::model_store {
class GraphValue;
}  // namespace ladder::model_store

namespace ladder::trainer {

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
  model_store::GraphValue Export(const model_store::GraphValue& x) const;

 private:
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_CONV_NORM_H_
