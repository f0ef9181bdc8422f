#ifndef LADDER_TRAINER_NETWORK_RESNET_H_
#define LADDER_TRAINER_NETWORK_RESNET_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/network/backbone.h"
#include "trainer/network/layers.h"

namespace ladder::trainer {

class ResidualBlock;

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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_RESNET_H_
