#include "server/inference/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/strings/str_format.h"
#include "server/inference/bytes_tensor.h"

namespace ladder::server {
namespace {

// An order of all floats, which sorting needs: NaN is below every number.
bool IsHigher(float a, float b) {
  return a > b || (std::isnan(b) && !std::isnan(a));
}

}  // namespace

std::string ClassificationBytes(const routing::MatrixView& values,
                                std::span<const std::string> names,
                                size_t top_n) {
  std::string raw;
  std::vector<size_t> columns(values.cols);
  for (size_t i = 0; i < values.rows; ++i) {
    const std::span<const float> row = values.Row(i);
    std::iota(columns.begin(), columns.end(), size_t{0});
    const auto end = columns.begin() + static_cast<ptrdiff_t>(top_n);
    std::partial_sort(columns.begin(), end, columns.end(),
                      [&](size_t a, size_t b) {
                        if (IsHigher(row[a], row[b])) return true;
                        return !IsHigher(row[b], row[a]) && a < b;
                      });
    for (auto column = columns.begin(); column != end; ++column) {
      AppendBytesElement(
          absl::StrFormat("%f:%d:%s", row[*column], *column, names[*column]),
          raw);
    }
  }
  return raw;
}

}  // namespace ladder::server
