#ifndef LADDER_EXPERIMENTS_ADAMW_H_
#define LADDER_EXPERIMENTS_ADAMW_H_

#include <cstddef>
#include <span>
#include <vector>

namespace ladder::experiments {

struct AdamWOptions {
  double learning_rate = 1e-2;
  double weight_decay = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

// Adam with decoupled weight decay (Loshchilov and Hutter 2019). One caller at
// a time.
class AdamW {
 public:
  AdamW(size_t num_parameters, const AdamWOptions& options);

  // Moves `parameters` against `gradient`; both have num_parameters values.
  void Step(std::span<const float> gradient, std::span<float> parameters);

 private:
  AdamWOptions options_;
  int num_steps_ = 0;
  std::vector<double> first_moments_;
  std::vector<double> second_moments_;
};

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_ADAMW_H_
