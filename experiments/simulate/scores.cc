#include "experiments/simulate/scores.h"

#include <cmath>
#include <limits>

#include "experiments/simulate/column_matrix.h"

namespace ladder::experiments {

Scores ScoresOf(ColumnMatrix logits, std::span<const uint8_t> labels) {
  SoftmaxRows(logits);
  size_t num_right = 0;
  double brier = 0;
  for (size_t row = 0; row < logits.rows; ++row) {
    size_t best = 0;
    for (size_t k = 0; k < logits.cols; ++k) {
      const float p = logits.Column(k)[row];
      if (p > logits.Column(best)[row]) best = k;
      const double miss =
          static_cast<double>(p) - (k == labels[row] ? 1.0 : 0.0);
      brier += miss * miss;
    }
    if (best == labels[row]) ++num_right;
  }
  const auto rows = static_cast<double>(logits.rows);
  return {100 * static_cast<double>(num_right) / rows, brier / rows,
          std::numeric_limits<double>::quiet_NaN()};
}

double ParameterError(std::span<const float> found,
                      std::span<const float> truth) {
  double sum = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const auto miss = static_cast<double>(found[i] - truth[i]);
    sum += miss * miss;
  }
  return std::sqrt(sum);
}

}  // namespace ladder::experiments
