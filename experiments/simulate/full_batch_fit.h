#ifndef LADDER_EXPERIMENTS_SIMULATE_FULL_BATCH_FIT_H_
#define LADDER_EXPERIMENTS_SIMULATE_FULL_BATCH_FIT_H_

#include <span>
#include <vector>

#include "absl/functional/function_ref.h"

namespace ladder::trainer {

// L2 penalties, added to the gradient as l2 times the parameters.
inline constexpr float kLinearL2 = 1e-2F;
inline constexpr float kNetworkL2 = 1e-4F;

// Trains as the simulation does: 150 steps of Adam at rate 1e-2, every one on
// all samples. `gradient(parameters)` is the loss's, without the penalty.
void FitFullBatch(
    float l2,
    absl::FunctionRef<std::vector<float>(std::span<const float>)> gradient,
    std::span<float> parameters);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_FULL_BATCH_FIT_H_
