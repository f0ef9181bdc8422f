#include "experiments/diagnose/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "routing/check_matrix.h"
#include "routing/counter_rng.h"
#include "routing/gather_rows.h"

namespace ladder::experiments {
namespace {

// Enough for variances that differ by a tenth to part by 1.1^-100 < 1e-4.
constexpr int kNumIterations = 100;

using Vector = std::vector<double>;

double Dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<Vector> CenteredRows(const routing::MatrixView& points) {
  Vector mean(points.cols);
  for (size_t row = 0; row < points.rows; ++row) {
    for (size_t i = 0; i < points.cols; ++i) mean[i] += points.Row(row)[i];
  }
  for (double& value : mean) value /= static_cast<double>(points.rows);
  std::vector<Vector> centered(points.rows, Vector(points.cols));
  for (size_t row = 0; row < points.rows; ++row) {
    for (size_t i = 0; i < points.cols; ++i) {
      centered[row][i] = points.Row(row)[i] - mean[i];
    }
  }
  return centered;
}

// A direction to start from, of any length and in general position.
Vector RandomDirection(size_t dimension, uint64_t seed) {
  const routing::CounterRng rng(seed);
  Vector direction(dimension);
  for (size_t i = 0; i < dimension; ++i) {
    direction[i] = std::ldexp(static_cast<double>(rng.Bits(i) >> 11), -52) - 1;
  }
  return direction;
}

// Gram-Schmidt, in place. What is left of a direction within the span of those
// before is rounding error, so it becomes zero.
void Orthonormalize(std::vector<Vector>& directions) {
  for (size_t i = 0; i < directions.size(); ++i) {
    Vector& direction = directions[i];
    const double length_before = std::sqrt(Dot(direction, direction));
    // The second pass removes what rounding in the first left.
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double share = Dot(direction, directions[j]);
        for (size_t k = 0; k < direction.size(); ++k) {
          direction[k] -= share * directions[j][k];
        }
      }
    }
    const double length = std::sqrt(Dot(direction, direction));
    const double scale = length > 1e-12 * length_before ? 1 / length : 0;
    for (double& value : direction) value *= scale;
  }
}

constexpr size_t kMaxComponents = 50;

}  // namespace

absl::StatusOr<std::vector<double>> PrincipalComponents(
    const routing::MatrixView& points, size_t num_components,
    const routing::Execution& execution) {
  const size_t dimension = points.cols;
  const std::vector<Vector> centered = CenteredRows(points);
  // The covariance up to a factor, which changes no direction.
  std::vector<Vector> covariance(dimension, Vector(dimension));
  LADDER_RETURN_IF_ERROR(execution.ForEach(dimension, [&](size_t i) {
    for (const Vector& point : centered) {
      for (size_t j = 0; j < dimension; ++j) {
        covariance[i][j] += point[i] * point[j];
      }
    }
  }));

  // Orthogonal iteration: the covariance turns every direction towards larger
  // variances, and those before it keep it from the ones they have.
  std::vector<Vector> directions;
  for (size_t i = 0; i < num_components; ++i) {
    directions.push_back(RandomDirection(dimension, /*seed=*/i));
  }
  Orthonormalize(directions);
  for (int iteration = 0; iteration < kNumIterations; ++iteration) {
    LADDER_RETURN_IF_ERROR(execution.ForEach(num_components, [&](size_t i) {
      Vector turned(dimension);
      for (size_t j = 0; j < dimension; ++j) {
        turned[j] = Dot(covariance[j], directions[i]);
      }
      directions[i] = std::move(turned);
    }));
    Orthonormalize(directions);
  }

  std::vector<double> components;
  components.reserve(points.rows * num_components);
  for (const Vector& point : centered) {
    for (const Vector& direction : directions) {
      components.push_back(Dot(point, direction));
    }
  }
  return components;
}

absl::StatusOr<Embedding> EmbedInPlane(const routing::MatrixView& features,
                                       const EmbeddingOptions& options,
                                       const routing::Execution& execution) {
  if (options.max_points == 0) {
    return absl::InvalidArgumentError("max_points: expected at least 1, got 0");
  }
  LADDER_RETURN_IF_ERROR(
      routing::CheckMatrix(features, "features", features.cols));
  Embedding embedding;
  embedding.rows =
      routing::SampleIndices(features.rows, options.max_points, options.seed);
  const std::vector<float> drawn =
      routing::GatherRows(features, embedding.rows);
  const size_t n = embedding.rows.size();
  const size_t dimension = std::min(kMaxComponents, features.cols);
  LADDER_ASSIGN_OR_RETURN(const auto components,
                          PrincipalComponents({drawn.data(), n, features.cols},
                                              dimension, execution));
  std::vector<Point> start(n);
  for (size_t i = 0; i < n; ++i) {
    start[i].x = components[i * dimension];
    if (dimension > 1) start[i].y = components[i * dimension + 1];
  }
  LADDER_ASSIGN_OR_RETURN(embedding.places, Tsne(components, dimension, start,
                                                 options.tsne, execution));
  return embedding;
}

}  // namespace ladder::experiments
