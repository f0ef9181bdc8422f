#ifndef LADDER_ROUTING_GATHER_ROWS_H_
#define LADDER_ROUTING_GATHER_ROWS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::routing {

// The rows of `matrix` with these indices, one after the other: what turns
// SampleIndices into a sample.
inline std::vector<float> GatherRows(const MatrixView& matrix,
                                     std::span<const size_t> indices) {
  std::vector<float> values;
  values.reserve(indices.size() * matrix.cols);
  for (const size_t index : indices) {
    const auto row = matrix.Row(index);
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

}  // namespace ladder::routing

#endif  // LADDER_ROUTING_GATHER_ROWS_H_
