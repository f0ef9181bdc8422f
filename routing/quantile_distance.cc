#include "routing/quantile_distance.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"

namespace ladder::routing {
namespace {

// The quantile of `sorted` at `level` in (0, 1), interpolated between order
// statistics: type 7 of Hyndman and Fan, the default of R and NumPy.
double Quantile(std::span<const float> sorted, double level) {
  const double position = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  const double low = sorted[below];
  return low + fraction * (sorted[above] - low);
}

}  // namespace

QuantileDistance::SortedColumns::SortedColumns(const MatrixView& cloud)
    : rows(cloud.rows), values(cloud.rows * cloud.cols) {
  for (size_t j = 0; j < cloud.cols; ++j) {
    const auto column = std::span(values).subspan(j * rows, rows);
    for (size_t i = 0; i < rows; ++i) column[i] = cloud.Row(i)[j];
    std::sort(column.begin(), column.end());
  }
}

std::span<const float> QuantileDistance::SortedColumns::Column(
    size_t column) const {
  return std::span(values).subspan(column * rows, rows);
}

absl::StatusOr<QuantileDistance> QuantileDistance::Create(
    std::span<const MatrixView> sources, size_t max_levels) {
  if (max_levels == 0) {
    return absl::InvalidArgumentError("max_levels must be positive, got 0");
  }
  if (sources.empty()) {
    return absl::InvalidArgumentError("expected at least one source, got none");
  }
  if (sources[0].cols == 0) {
    return absl::InvalidArgumentError(
        "source 0: expected at least one column, got none");
  }
  QuantileDistance distance(sources[0].cols, max_levels);
  distance.sources_.reserve(sources.size());
  for (size_t e = 0; e < sources.size(); ++e) {
    LADDER_RETURN_IF_ERROR(
        CheckMatrix(sources[e], absl::StrCat("source ", e), sources[0].cols));
    distance.sources_.emplace_back(sources[e]);
  }
  return distance;
}

absl::Status QuantileDistance::DoCompute(const MatrixView& target,
                                         std::span<const size_t> sources,
                                         std::span<double> distances,
                                         const Execution& execution) const {
  const SortedColumns sorted_target(target);
  return execution.ForEach(sources.size(), [&](size_t i) {
    distances[i] = Between(sources_[sources[i]], sorted_target);
  });
}

double QuantileDistance::Between(const SortedColumns& source,
                                 const SortedColumns& target) const {
  const size_t levels = std::min({max_levels_, source.rows, target.rows});
  double sum = 0;
  for (size_t j = 0; j < dimension_; ++j) {
    const auto source_column = source.Column(j);
    const auto target_column = target.Column(j);
    for (size_t i = 0; i < levels; ++i) {
      const double level =
          (static_cast<double>(i) + 0.5) / static_cast<double>(levels);
      const double gap =
          Quantile(source_column, level) - Quantile(target_column, level);
      sum += gap * gap;
    }
  }
  return sum / static_cast<double>(levels);
}

void NormalizeByLargest(std::span<double> distances) {
  if (distances.empty()) return;
  const double largest = *std::max_element(distances.begin(), distances.end());
  if (largest <= 0) return;
  for (double& distance : distances) distance /= largest;
}

}  // namespace ladder::routing
