#ifndef LADDER_ROUTING_SOFTMAX_H_
#define LADDER_ROUTING_SOFTMAX_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::routing {

// Replaces finite `scores` by exp(score / temperature), scaled to sum to one;
// `temperature` is positive and finite.
//
// The largest score is subtracted first, so every exponent is at most 0 and one
// of them is exactly 0: whatever the scale of scores and temperature, nothing
// overflows and the sum is at least one.
inline void Softmax(std::span<double> scores, double temperature) {
  if (scores.empty()) return;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = std::exp((score - largest) / temperature);
    sum += score;
  }
  for (double& score : scores) score /= sum;
}

// Writes the softmax of every row of `scores` to `shares`, which has the same
// size and may be the same memory. In double, rounded once.
inline void SoftmaxEachRow(const MatrixView& scores, double temperature,
                           std::span<float> shares) {
  std::vector<double> values(scores.cols);
  for (size_t row = 0; row < scores.rows; ++row) {
    std::copy_n(scores.Row(row).begin(), scores.cols, values.begin());
    Softmax(values, temperature);
    std::transform(values.begin(), values.end(),
                   shares.data() + row * scores.cols,
                   [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_SOFTMAX_H_
