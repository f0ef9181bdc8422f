#include "experiments/simulate/full_batch_fit.h"

#include "experiments/diagnose/adamw.h"
#include "experiments/simulate/column_matrix.h"

namespace ladder::trainer {

void FitFullBatch(
    float l2,
    absl::FunctionRef<std::vector<float>(std::span<const float>)> gradient,
    std::span<float> parameters) {
  constexpr int kSteps = 150;
  // Without its own, decoupled decay AdamW is Adam.
  AdamW adam(parameters.size(), {.learning_rate = 1e-2, .weight_decay = 0});
  for (int step = 0; step < kSteps; ++step) {
    std::vector<float> direction = gradient(parameters);
    AddScaled(l2, parameters, direction);
    adam.Step(direction, parameters);
  }
}

}  // namespace ladder::trainer
