#include "experiments/simulate/linear_fit.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "experiments/simulate/full_batch_fit.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::trainer {
namespace {

constexpr double kIrmWeight = 30;
constexpr double kRdmWeight = 1;
constexpr double kEqrmQuantile = 0.75;

// The derivative of the loss by every source's risk.
std::vector<double> RiskWeights(LinearObjective objective,
                                std::span<const LinearRisk> risks) {
  const auto count = static_cast<double>(risks.size());
  std::vector<double> weights(risks.size(), 1 / count);
  if (objective == LinearObjective::kRdm) {
    const double mean = std::accumulate(risks.begin(), risks.end(), 0.0,
                                        [](double sum, const LinearRisk& risk) {
                                          return sum + risk.risk;
                                        }) /
                        count;
    for (size_t e = 0; e < risks.size(); ++e) {
      weights[e] += kRdmWeight * 2 * (risks[e].risk - mean) / count;
    }
  } else if (objective == LinearObjective::kEqrm) {
    std::vector<size_t> order(risks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return risks[a].risk < risks[b].risk;
    });
    // The quantile interpolates between two of the risks.
    const double position = kEqrmQuantile * (count - 1);
    const auto lower = static_cast<size_t>(position);
    const double share = position - static_cast<double>(lower);
    std::fill(weights.begin(), weights.end(), 0.0);
    weights[order[lower]] = 1 - share;
    if (share > 0) weights[order[lower + 1]] = share;
  }
  return weights;
}

}  // namespace

std::vector<float> ObjectiveGradient(std::span<const LabelledFeatures> sources,
                                     LinearObjective objective,
                                     std::span<const float> head) {
  std::vector<LinearRisk> risks;
  for (const LabelledFeatures& source : sources) {
    risks.push_back(RiskOf(source, head));
  }
  const std::vector<double> weights = RiskWeights(objective, risks);
  std::vector<float> gradient(head.size(), 0);
  for (size_t e = 0; e < sources.size(); ++e) {
    AddScaled(static_cast<float>(weights[e]), risks[e].gradient, gradient);
    if (objective != LinearObjective::kIrm) continue;
    const ScaleSlope slope = ScaleSlopeOf(sources[e], head);
    AddScaled(static_cast<float>(kIrmWeight * 2 * slope.slope /
                                 static_cast<double>(sources.size())),
              slope.gradient, gradient);
  }
  return gradient;
}

std::vector<float> FitLinear(std::span<const LabelledFeatures> sources,
                             LinearObjective objective) {
  std::vector<float> head(kSimClasses * sources.front().features.cols, 0);
  FitFullBatch(
      kLinearL2,
      [&](std::span<const float> parameters) {
        return ObjectiveGradient(sources, objective, parameters);
      },
      head);
  return head;
}

}  // namespace ladder::trainer
