#include "routing/check_matrix.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace ladder::routing {
namespace {

// True if every value is finite. x - x is 0 for finite x and NaN otherwise, and
// a sum keeps a NaN: a loop without branches that the compiler can vectorise.
bool AllFinite(const MatrixView& matrix) {
  constexpr size_t kLanes = 16;
  float sum[kLanes] = {};
  const auto values = matrix.Values();
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sum[lane] += values[i + lane] - values[i + lane];
    }
  }
  for (; i < values.size(); ++i) sum[0] += values[i] - values[i];
  float total = 0;
  for (const float lane : sum) total += lane;
  return total == 0;
}

}  // namespace

absl::Status CheckMatrix(const MatrixView& matrix, absl::string_view name,
                         size_t cols) {
  if (matrix.cols != cols) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected ", cols, " columns, got ", matrix.cols));
  }
  if (matrix.rows == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected at least one row, got none"));
  }
  if (AllFinite(matrix)) return absl::OkStatus();
  size_t index = 0;
  while (std::isfinite(matrix.data[index])) ++index;
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": value at row ", index / cols, ", column ", index % cols, " is ",
      matrix.data[index], "; expected finite values only"));
}

}  // namespace ladder::routing
