#ifndef LADDER_EXPERIMENTS_SIMULATE_SOFTMAX_ERROR_H_
#define LADDER_EXPERIMENTS_SIMULATE_SOFTMAX_ERROR_H_

#include <cstdint>
#include <span>

#include "experiments/simulate/column_matrix.h"

namespace ladder::trainer {

// Replaces logits (sample x class) by probabilities.
void SoftmaxRows(ColumnMatrix& logits);

// Replaces logits by the gradient of their summed cross-entropy, probability
// minus one-hot label, and returns that sum.
double SoftmaxError(std::span<const uint8_t> labels, ColumnMatrix& logits);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_SOFTMAX_ERROR_H_
