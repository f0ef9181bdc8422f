#include "experiments/simulate/linear_risk.h"

#include <cstddef>

#include "experiments/simulate/softmax_error.h"

namespace ladder::trainer {
namespace {

// From the summed loss's gradient by logits to the mean's by the head.
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

}  // namespace ladder::trainer
