#include "experiments/simulate/column_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ladder::experiments {

void SoftmaxRows(ColumnMatrix& logits) {
  for (size_t row = 0; row < logits.rows; ++row) {
    float largest = logits.Column(0)[row];
    for (size_t k = 1; k < logits.cols; ++k) {
      largest = std::max(largest, logits.Column(k)[row]);
    }
    float sum = 0;
    for (size_t k = 0; k < logits.cols; ++k) {
      float& value = logits.Column(k)[row];
      value = std::exp(value - largest);
      sum += value;
    }
    for (size_t k = 0; k < logits.cols; ++k) logits.Column(k)[row] /= sum;
  }
}

double SoftmaxError(std::span<const uint8_t> labels, ColumnMatrix& logits) {
  SoftmaxRows(logits);
  // The logarithm of a float that underflowed would be infinite.
  constexpr float kLeast = 1e-38F;
  double loss = 0;
  for (size_t row = 0; row < logits.rows; ++row) {
    float& value = logits.Column(labels[row])[row];
    loss -= static_cast<double>(std::log(std::max(value, kLeast)));
    value -= 1;
  }
  return loss;
}

}  // namespace ladder::experiments
