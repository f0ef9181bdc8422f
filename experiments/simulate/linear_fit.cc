#include "experiments/simulate/linear_fit.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "experiments/adamw.h"
#include "experiments/simulate/column_matrix.h"
#include "experiments/simulate/simulated_world.h"

namespace ladder::experiments {
namespace {

// Turns the gradient of the summed loss by the logits into that of the mean
// loss by the head.
std::vector<float> PullBack(const ColumnMatrix& features,
                            const ColumnMatrix& by_logits) {
  const float scale = 1 / static_cast<float>(features.rows);
  std::vector<float> gradient;
  gradient.reserve(by_logits.cols * features.cols);
  for (size_t k = 0; k < by_logits.cols; ++k) {
    for (size_t j = 0; j < features.cols; ++j) {
      gradient.push_back(scale * Dot(by_logits.Column(k), features.Column(j)));
    }
  }
  return gradient;
}

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

ColumnMatrix LinearLogits(const ColumnMatrix& features,
                          std::span<const float> head) {
  ColumnMatrix logits(features.rows, head.size() / features.cols);
  for (size_t k = 0; k < logits.cols; ++k) {
    for (size_t j = 0; j < features.cols; ++j) {
      AddScaled(head[k * features.cols + j], features.Column(j),
                logits.Column(k));
    }
  }
  return logits;
}

LinearRisk RiskOf(const LabelledFeatures& domain, std::span<const float> head) {
  ColumnMatrix logits = LinearLogits(domain.features, head);
  const double loss = SoftmaxError(domain.labels, logits);
  return {.risk = loss / static_cast<double>(logits.rows),
          .gradient = PullBack(domain.features, logits)};
}

ScaleSlope ScaleSlopeOf(const LabelledFeatures& domain,
                        std::span<const float> head) {
  const ColumnMatrix logits = LinearLogits(domain.features, head);
  ColumnMatrix by_logits = logits;
  SoftmaxRows(by_logits);
  // With p = softmax(l), one sample adds sum_k (p_k - y_k) l_k to the slope,
  // and that has the gradient p_k - y_k + p_k (l_k - sum_j p_j l_j).
  double slope = 0;
  for (size_t row = 0; row < logits.rows; ++row) {
    float mean_logit = 0;
    for (size_t k = 0; k < logits.cols; ++k) {
      mean_logit += by_logits.Column(k)[row] * logits.Column(k)[row];
    }
    for (size_t k = 0; k < logits.cols; ++k) {
      float& p = by_logits.Column(k)[row];
      p += p * (logits.Column(k)[row] - mean_logit);
    }
    const size_t label = domain.labels[row];
    by_logits.Column(label)[row] -= 1;
    slope += static_cast<double>(mean_logit - logits.Column(label)[row]);
  }
  return {.slope = slope / static_cast<double>(logits.rows),
          .gradient = PullBack(domain.features, by_logits)};
}

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

}  // namespace ladder::experiments
