#ifndef LADDER_TRAINER_NETWORK_MLP_H_
#define LADDER_TRAINER_NETWORK_MLP_H_

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

#include "trainer/network/backbone.h"

namespace ladder::trainer {

// Two hidden layers of rectified units, for tensors of any shape. Inputs pass a
// batch normalisation first, because columns of tables come in any unit and the
// server gets them as they are.
class Mlp : public Backbone {
 public:
  static constexpr int64_t kWidth = 256;  // Of either hidden layer.

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

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_MLP_H_
