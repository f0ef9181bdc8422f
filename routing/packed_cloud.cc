#include "routing/packed_cloud.h"

#include <algorithm>
#include <cmath>

namespace ladder::routing {
namespace {

// Writes `points` in the order that simd::PointsView asks for.
void PackPanels(const MatrixView& points, float* panels) {
  for (size_t first = 0; first < points.rows; first += simd::kPanelWidth) {
    for (size_t k = 0; k < points.cols; ++k) {
      for (size_t i = first; i < first + simd::kPanelWidth; ++i) {
        *panels++ = i < points.rows ? points.data[i * points.cols + k] : 0.0F;
      }
    }
  }
}

}  // namespace

void PackedCloud::Assign(const MatrixView& points) {
  points_ = points;
  const size_t padded = simd::RoundUp(points.rows, simd::kPanelWidth);
  PackPanels(points, panels_.Reserve(padded * points.cols));

  float* lower = lower_.Reserve(points.cols);
  float* upper = upper_.Reserve(points.cols);
  std::copy_n(points.data, points.cols, lower);
  std::copy_n(points.data, points.cols, upper);
  float* norms = squared_norms_.Reserve(padded);
  std::fill_n(norms, padded, 0.0F);
  for (size_t i = 0; i < points.rows; ++i) {
    const float* point = points.data + i * points.cols;
    double norm = 0;
    for (size_t k = 0; k < points.cols; ++k) {
      lower[k] = std::min(lower[k], point[k]);
      upper[k] = std::max(upper[k], point[k]);
      norm += static_cast<double>(point[k]) * point[k];
    }
    norms[i] = static_cast<float>(norm);
  }
}

simd::PointsView PackedCloud::View() const {
  return {.rows = points_.data,
          .panels = panels_.data(),
          .squared_norms = squared_norms_.data(),
          .count = points_.rows,
          .dimension = points_.cols};
}

double PackedCloud::JointDiameter(const PackedCloud& a, const PackedCloud& b) {
  double squared = 0;
  for (size_t k = 0; k < a.points_.cols; ++k) {
    const double range =
        static_cast<double>(std::max(a.upper_.data()[k], b.upper_.data()[k])) -
        std::min(a.lower_.data()[k], b.lower_.data()[k]);
    squared += range * range;
  }
  return std::sqrt(squared);
}

}  // namespace ladder::routing
