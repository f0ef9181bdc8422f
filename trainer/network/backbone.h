#ifndef LADDER_TRAINER_NETWORK_BACKBONE_H_
#define LADDER_TRAINER_NETWORK_BACKBONE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"
#include "trainer/network/layers.h"

namespace ladder::trainer {

class ResidualBlock;

// Turns samples into features that the content and style branches share.
class Backbone : public torch::nn::Module {
 public:
  // [n, sample shape] to [n, num_features()].
  virtual torch::Tensor Forward(const torch::Tensor& x) = 0;
  virtual int64_t num_features() const = 0;

  // Appends to the graph of `x` what Forward computes in evaluation mode, with
  // the parameters as they are now, whatever the mode and the device.
  virtual model_store::GraphValue Export(
      const model_store::GraphValue& x) const = 0;
};

// Three 3x3 convolutions, each with batch normalisation, 2x2 pooling and a
// rectifier; then the mean over all places. It suits pictures from 28x28 to
// 96x96 or so.
class SmallCnn : public Backbone {
 public:
  static constexpr int64_t kSmallestSide = 8;  // One pixel after the pooling.

  explicit SmallCnn(int64_t num_channels);

  torch::Tensor Forward(const torch::Tensor& x) override;
  int64_t num_features() const override;
  model_store::GraphValue Export(
      const model_store::GraphValue& x) const override;

 private:
  std::vector<ConvNorm> convs_;
};

// Two hidden layers of rectified units, for tensors of any shape. Inputs pass a
// batch normalisation first, because columns of tables come in any unit and the
// server gets them as they are.
class Mlp : public Backbone {
 public:
  static constexpr int64_t kWidth = 256;  // Units in each hidden layer.

  explicit Mlp(int64_t num_inputs);

  torch::Tensor Forward(const torch::Tensor& x) override;
  int64_t num_features() const override { return kWidth; }
  model_store::GraphValue Export(
      const model_store::GraphValue& x) const override;

 private:
  torch::nn::BatchNorm1d norm_;
  torch::nn::Linear hidden1_;
  torch::nn::Linear hidden2_;
};

// ResNet-18 and ResNet-50 as torchvision defines them, up to the pooled
// features: its last layer, fc, is not there. Parameters and buffers have
// torchvision's names and shapes.
class ResNet : public Backbone {
 public:
  enum class Depth { k18, k50 };

  static constexpr int64_t kNumChannels = 3;
  // One pixel is left of it at the end.
  static constexpr int64_t kSmallestSide = 32;

  explicit ResNet(Depth depth);

  torch::Tensor Forward(const torch::Tensor& x) override;
  int64_t num_features() const override { return num_features_; }
  model_store::GraphValue Export(
      const model_store::GraphValue& x) const override;

 private:
  ConvNorm stem_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  int64_t num_features_ = 0;
};

// A backbone with random weights, drawn from torch's generator:
//   "resnet50", "resnet18"  samples [3, h, w], h and w at least 32
//   "small-cnn"             samples [c, h, w], h and w at least 8
//   "mlp"                   tensors of any shape, no pictures
// InvalidArgument, listing the names, for another name, and, with the shape
// expected, if the input does not suit it.
absl::StatusOr<std::shared_ptr<Backbone>> MakeBackbone(
    absl::string_view name, const model_store::InputSpec& input);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_BACKBONE_H_
