#ifndef LADDER_EXPERIMENTS_SIMULATE_SCORES_H_
#define LADDER_EXPERIMENTS_SIMULATE_SCORES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "experiments/simulate/column_matrix.h"

namespace ladder::experiments {

// What is measured of a method on a target.
enum SimMetric : size_t { kSimAccuracy, kSimBrier, kSimParameterError };

struct SimMetricInfo {
  const char* key;
  const char* title;
};
inline constexpr std::array<SimMetricInfo, 3> kSimMetrics = {
    {{"accuracy", "accuracy (%)"},
     {"brier", "Brier score"},
     {"parameter_error", "parameter error"}}};

// One value for each SimMetric; NaN where a method has no such score.
using Scores = std::array<double, kSimMetrics.size()>;

// Accuracy in percent and the Brier score, the mean over the samples of the
// squared distance between probabilities and one-hot label, of `logits` (sample
// x class); no parameter error. Ties go to the lowest class.
Scores ScoresOf(ColumnMatrix logits, std::span<const uint8_t> labels);

// The Frobenius distance between two sets of coefficients of one size.
double ParameterError(std::span<const float> found,
                      std::span<const float> truth);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_SCORES_H_
