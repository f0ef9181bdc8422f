#ifndef LADDER_ROUTING_MATRIX_VIEW_H_
#define LADDER_ROUTING_MATRIX_VIEW_H_

#include <cstddef>
#include <span>

namespace ladder::routing {

// A read-only, row-major, densely packed matrix of floats that somebody else
// owns: a batch of style vectors, a group's covariates, a stack of logits.
struct MatrixView {
  const float* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;

  std::span<const float> Row(size_t row) const {
    return {data + row * cols, cols};
  }
  std::span<const float> Values() const { return {data, rows * cols}; }
};

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_MATRIX_VIEW_H_
