#ifndef LADDER_TRAINER_NETWORK_GRADIENT_REVERSAL_H_
#define LADDER_TRAINER_NETWORK_GRADIENT_REVERSAL_H_

#include <torch/types.h>

namespace ladder::trainer {

// The identity whose gradient is multiplied by -scale: what is behind it learns
// a task, and what is before it learns to make the task hard.
torch::Tensor ReverseGradient(const torch::Tensor& x, double scale);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_NETWORK_GRADIENT_REVERSAL_H_
