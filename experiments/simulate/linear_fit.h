#ifndef LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
#define LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_

#include <span>
#include <vector>

#include "experiments/simulate/linear_risk.h"

namespace ladder::trainer {

// How the risks R_e of the sources become one loss.
enum class LinearObjective {
  kErm,   // Their mean.
  kIrm,   // Plus 30 times the mean of g_e^2, see ScaleSlopeOf.
  kEqrm,  // Their 0.75 quantile.
  kRdm,   // Their mean plus their population variance.
};

// The head, kSimClasses x feature, that all `sources` (one or more, with the
// same features) share; trained from zero by FitFullBatch.
std::vector<float> FitLinear(std::span<const LabelledFeatures> sources,
                             LinearObjective objective);

// The objective's gradient at `head`, without the L2 penalty.
std::vector<float> ObjectiveGradient(std::span<const LabelledFeatures> sources,
                                     LinearObjective objective,
                                     std::span<const float> head);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
