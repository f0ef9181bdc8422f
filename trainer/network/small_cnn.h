#ifndef LADDER_TRAINER_NETWORK_SMALL_CNN_H_
#define LADDER_TRAINER_NETWORK_SMALL_CNN_H_

#include <cstdint>
#include <vector>

#include "trainer/network/backbone.h"
#include "trainer/network/conv_norm.h"

namespace ladder::trainer {

// Three 3x3 convolutions, each with batch normalisation, 2x2 pooling and a
// rectifier; then the mean over all places. For pictures from 28x28 to 96x96 or
// so.
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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_SMALL_CNN_H_
