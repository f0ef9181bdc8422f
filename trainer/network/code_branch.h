#ifndef LADDER_TRAINER_NETWORK_CODE_BRANCH_H_
#define LADDER_TRAINER_NETWORK_CODE_BRANCH_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

namespace ladder::model_store {
class GraphValue;
}  // namespace ladder::model_store

namespace ladder::trainer {

// One branch's code of a batch: what is drawn in training is the mean in
// evaluation.
struct Code {
  torch::Tensor z;             // [n, d]
  torch::Tensor mean;          // [n, d]
  torch::Tensor log_variance;  // [n, d]; undefined unless variational.
};

// A linear map from features to a code and, if it is variational, another to
// the logarithms of its variances.
//
// Variances lie in [exp(-10), exp(10)], so that no step can make a code
// infinite. They start near exp(-5), less than the means' own: codes drawn with
// the variance 1 of the prior would say little about their samples until the
// map had learned to make it smaller, at an encoder's slow rate.
class CodeBranch : public torch::nn::Module {
 public:
  static constexpr double kLargestLogVariance = 10;
  static constexpr double kFirstLogVariance = -5;

  CodeBranch(int64_t num_features, int64_t dimension, bool variational);

  // Draws from torch's generator in training mode, if variational.
  Code Forward(const torch::Tensor& features);
  // The mean.
  model_store::GraphValue Export(const model_store::GraphValue& features) const;

  int64_t dimension() const { return mean_->options.out_features(); }

 private:
  torch::nn::Linear mean_;
  torch::nn::Linear log_variance_{nullptr};
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_CODE_BRANCH_H_
