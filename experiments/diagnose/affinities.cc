#include "experiments/diagnose/affinities.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"

namespace ladder::trainer {
namespace {

constexpr int kMaxSearchSteps = 100;
constexpr double kEntropyTolerance = 1e-6;

// Replaces squared distances by exp(-precision d), scaled to sum to one, and
// returns the entropy. The nearest has d = 0, so that nothing underflows as a
// whole.
double Gaussian(std::span<const double> distances, double precision,
                size_t self, std::span<double> shares) {
  double sum = 0;
  double moment = 0;
  for (size_t j = 0; j < distances.size(); ++j) {
    shares[j] = j == self ? 0 : std::exp(-precision * distances[j]);
    sum += shares[j];
    moment += shares[j] * distances[j];
  }
  for (double& share : shares) share /= sum;
  return std::log(sum) + precision * moment / sum;
}

// The shares p_{.|self} at this perplexity. Entropy falls with precision, which
// is doubled or halved until it is bracketed and then bisected.
std::vector<double> ConditionalShares(std::span<const double> points,
                                      size_t dimension, size_t self,
                                      double perplexity) {
  const size_t n = points.size() / dimension;
  std::vector<double> distances(n);
  double nearest = std::numeric_limits<double>::infinity();
  double mean = 0;
  for (size_t j = 0; j < n; ++j) {
    for (size_t k = 0; k < dimension; ++k) {
      const double difference =
          points[self * dimension + k] - points[j * dimension + k];
      distances[j] += difference * difference;
    }
    if (j != self) nearest = std::min(nearest, distances[j]);
    mean += distances[j] / static_cast<double>(n);
  }
  for (double& distance : distances) distance -= nearest;
  distances[self] = 0;

  const double wanted = std::log(perplexity);
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double precision = mean > 0 ? 1 / mean : 1;  // Whatever unit the points have.
  std::vector<double> shares(n);
  for (int step = 0; step < kMaxSearchSteps; ++step) {
    const double entropy = Gaussian(distances, precision, self, shares);
    if (std::abs(entropy - wanted) < kEntropyTolerance) break;
    (entropy > wanted ? low : high) = precision;
    precision = std::isinf(high) ? 2 * precision : (low + high) / 2;
  }
  return shares;
}

}  // namespace

absl::StatusOr<std::vector<float>> TsneAffinities(
    std::span<const double> points, size_t dimension, double perplexity,
    const routing::Execution& execution) {
  const size_t n = points.size() / dimension;
  std::vector<std::vector<double>> shares(n);
  absl::Status status = execution.ForEach(n, [&](size_t i) {
    shares[i] = ConditionalShares(points, dimension, i, perplexity);
  });
  if (!status.ok()) return status;
  std::vector<float> affinities(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      affinities[i * n + j] = static_cast<float>((shares[i][j] + shares[j][i]) /
                                                 (2 * static_cast<double>(n)));
    }
  }
  return affinities;
}

}  // namespace ladder::trainer
