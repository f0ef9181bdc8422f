#ifndef LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
#define LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_

#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "experiments/simulate/features.h"

namespace ladder::experiments {

// The logits, sample x class, of the classifier `head` (class x feature,
// row-major) without a bias.
ColumnMatrix LinearLogits(const ColumnMatrix& features,
                          std::span<const float> head);

// The mean cross-entropy R of a head on a domain, and dR / dhead.
struct LinearRisk {
  double risk = 0;
  std::vector<float> gradient = {};
};
LinearRisk RiskOf(const LabelledFeatures& domain, std::span<const float> head);

// IRM's measure of how far a head is from the best scaling of itself on a
// domain: g = dR(t head) / dt at t = 1, and dg / dhead.
struct ScaleSlope {
  double slope = 0;
  std::vector<float> gradient = {};
};
ScaleSlope ScaleSlopeOf(const LabelledFeatures& domain,
                        std::span<const float> head);

// L2 penalties, added to the gradient as l2 times the parameters.
inline constexpr float kLinearL2 = 1e-2F;
inline constexpr float kNetworkL2 = 1e-4F;

// Trains as the simulation does: 150 steps of Adam at rate 1e-2, every one on
// all samples. `gradient(parameters)` is that of the loss without the penalty.
void FitFullBatch(
    float l2,
    absl::FunctionRef<std::vector<float>(std::span<const float>)> gradient,
    std::span<float> parameters);

// How the risks R_e of the sources become one loss.
enum class LinearObjective {
  kErm,   // Their mean.
  kIrm,   // Their mean plus 30 times the mean of g_e^2, see ScaleSlopeOf.
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

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_LINEAR_FIT_H_
