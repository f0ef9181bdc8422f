#ifndef LADDER_EXPERIMENTS_SIMULATE_COLUMN_MATRIX_H_
#define LADDER_EXPERIMENTS_SIMULATE_COLUMN_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ladder::experiments {

// A matrix of floats, column after column: samples are rows, so that loops over
// the samples run over neighbours in memory.
struct ColumnMatrix {
  ColumnMatrix() = default;
  ColumnMatrix(size_t num_rows, size_t num_cols)
      : rows(num_rows), cols(num_cols), values(num_rows * num_cols) {}

  std::span<float> Column(size_t column) {
    return {values.data() + column * rows, rows};
  }
  std::span<const float> Column(size_t column) const {
    return {values.data() + column * rows, rows};
  }

  // Adds the columns of `other`, which has as many rows, at the right.
  void Append(const ColumnMatrix& other) {
    values.insert(values.end(), other.values.begin(), other.values.end());
    cols += other.cols;
  }
  // Adds a column of equal values.
  void Append(float value) {
    values.resize(values.size() + rows, value);
    ++cols;
  }

  size_t rows = 0;
  size_t cols = 0;
  std::vector<float> values = {};
};

// The inner product of two spans of one size. Its order of summation is fixed
// and lets the compiler use vector instructions.
inline float Dot(std::span<const float> a, std::span<const float> b) {
  constexpr size_t kLanes = 16;
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += a[i + lane] * b[i + lane];
    }
  }
  float sum = 0;
  for (; i < a.size(); ++i) sum += a[i] * b[i];
  for (const float lane : sums) sum += lane;
  return sum;
}

// Adds `factor` times `from` to `to`, which has the same size.
inline void AddScaled(float factor, std::span<const float> from,
                      std::span<float> to) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// Replaces logits (sample x class) by probabilities.
void SoftmaxRows(ColumnMatrix& logits);

// Replaces logits by the gradient of their summed cross-entropy, probability
// minus one-hot label, and returns that sum.
double SoftmaxError(std::span<const uint8_t> labels, ColumnMatrix& logits);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_COLUMN_MATRIX_H_
