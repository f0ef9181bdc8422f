#include "experiments/diagnose/tsne.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/status_macros.h"

namespace ladder::experiments {
namespace {

using base::Point;

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

// Early on attraction is exaggerated, so that clusters form before they spread.
constexpr int kEarlyIterations = 250;
constexpr double kExaggeration = 12;
constexpr double kEarlyMomentum = 0.5;
constexpr double kMomentum = 0.8;
constexpr double kMinLearningRate = 50;
constexpr double kStartDeviation =
    1e-4;                          // The first coordinate's, at the start.
constexpr size_t kBlockRows = 32;  // Enough work to be worth handing out.

Point operator+(const Point& a, const Point& b) {
  return {a.x + b.x, a.y + b.y};
}

std::vector<Point> Centered(std::vector<Point> places) {
  Point sum;
  for (const Point& place : places) sum = sum + place;
  const auto count = static_cast<double>(places.size());
  for (Point& place : places) {
    place = place + Point{-sum.x / count, -sum.y / count};
  }
  return places;
}

std::vector<Point> Shrunk(std::span<const Point> start) {
  std::vector<Point> places = Centered({start.begin(), start.end()});
  double sum = 0;
  for (const Point& place : places) sum += place.x * place.x;
  const double deviation = std::sqrt(sum / static_cast<double>(places.size()));
  const double scale = deviation > 0 ? kStartDeviation / deviation : 1;
  for (Point& place : places) place = {place.x * scale, place.y * scale};
  return places;
}

// The forces that one point feels from all others: the sums over j of p_ij q_ij
// (y_i - y_j) and q_ij^2 (y_i - y_j), and of q_ij itself, with q_ij = 1 / (1 +
// |y_i - y_j|^2). In lanes, since the compiler may not reorder sums by itself.
struct Forces {
  Point attraction;
  Point repulsion;
  double sum = 0;
};

Forces ForcesOn(size_t i, std::span<const double> x, std::span<const double> y,
                const float* affinities) {
  constexpr size_t kLanes = 4;
  double attract_x[kLanes] = {}, attract_y[kLanes] = {}, repel_x[kLanes] = {},
         repel_y[kLanes] = {}, sums[kLanes] = {};
  const double own_x = x[i];
  const double own_y = y[i];
  const auto add = [&](size_t j, size_t lane) {
    const double dx = own_x - x[j];
    const double dy = own_y - y[j];
    const double q = 1 / (1 + dx * dx + dy * dy);
    const double pull = affinities[j] * q;
    const double push = q * q;
    attract_x[lane] += pull * dx;
    attract_y[lane] += pull * dy;
    repel_x[lane] += push * dx;
    repel_y[lane] += push * dy;
    sums[lane] += q;
  };
  size_t j = 0;
  for (; j + kLanes <= x.size(); j += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
  }
  for (; j < x.size(); ++j) add(j, 0);

  Forces forces;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    forces.attraction =
        forces.attraction + Point{attract_x[lane], attract_y[lane]};
    forces.repulsion = forces.repulsion + Point{repel_x[lane], repel_y[lane]};
    forces.sum += sums[lane];
  }
  forces.sum -= 1;  // The point itself.
  return forces;
}

// Gradient descent with momentum and a gain for every coordinate, which grows
// while the coordinate keeps its direction.
class Descent {
 public:
  Descent(size_t size, double rate)
      : rate_(rate), gain_(size, 1), step_(size) {}

  double Step(size_t i, double gradient, double momentum) {
    const bool same_way = (gradient > 0) == (step_[i] < 0);
    gain_[i] = std::max(0.01, same_way ? gain_[i] + 0.2 : gain_[i] * 0.8);
    step_[i] = momentum * step_[i] - rate_ * gain_[i] * gradient;
    return step_[i];
  }

 private:
  double rate_;
  std::vector<double> gain_;
  std::vector<double> step_;
};

}  // namespace

absl::StatusOr<std::vector<float>> TsneAffinities(
    std::span<const double> points, size_t dimension, double perplexity,
    const routing::Execution& execution) {
  const size_t n = points.size() / dimension;
  std::vector<std::vector<double>> shares(n);
  LADDER_RETURN_IF_ERROR(execution.ForEach(n, [&](size_t i) {
    shares[i] = ConditionalShares(points, dimension, i, perplexity);
  }));
  std::vector<float> affinities(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      affinities[i * n + j] = static_cast<float>((shares[i][j] + shares[j][i]) /
                                                 (2 * static_cast<double>(n)));
    }
  }
  return affinities;
}

absl::StatusOr<std::vector<Point>> Tsne(std::span<const double> points,
                                        size_t dimension,
                                        std::span<const Point> start,
                                        const TsneOptions& options,
                                        const routing::Execution& execution) {
  const size_t n = start.size();
  std::vector<Point> places = Shrunk(start);
  if (n < 4) return places;  // No point has three neighbours.
  const auto count = static_cast<double>(n);
  LADDER_ASSIGN_OR_RETURN(
      const auto affinities,
      TsneAffinities(points, dimension,
                     std::min(options.perplexity, (count - 1) / 3), execution));

  // The rate that suits the exaggeration (Belkina et al. 2019); 4 is the
  // gradient's factor.
  const double rate = std::max(kMinLearningRate, count / kExaggeration / 4);
  Descent x_descent(n, rate);
  Descent y_descent(n, rate);
  std::vector<double> x(n), y(n);
  std::vector<Forces> forces(n);
  for (int iteration = 0; iteration < options.num_iterations; ++iteration) {
    for (size_t i = 0; i < n; ++i) {
      x[i] = places[i].x;
      y[i] = places[i].y;
    }
    const size_t num_blocks = (n + kBlockRows - 1) / kBlockRows;
    LADDER_RETURN_IF_ERROR(execution.ForEach(num_blocks, [&](size_t block) {
      const size_t end = std::min(n, (block + 1) * kBlockRows);
      for (size_t i = block * kBlockRows; i < end; ++i) {
        forces[i] = ForcesOn(i, x, y, affinities.data() + i * n);
      }
    }));
    double sum = 0;
    for (const Forces& force : forces) sum += force.sum;
    const bool early = iteration < kEarlyIterations;
    const double pull = 4 * (early ? kExaggeration : 1);
    const double push = 4 / sum;
    const double momentum = early ? kEarlyMomentum : kMomentum;
    for (size_t i = 0; i < n; ++i) {
      const auto& [attraction, repulsion, unused] = forces[i];
      places[i].x +=
          x_descent.Step(i, pull * attraction.x - push * repulsion.x, momentum);
      places[i].y +=
          y_descent.Step(i, pull * attraction.y - push * repulsion.y, momentum);
    }
    places = Centered(std::move(places));
  }
  return places;
}

}  // namespace ladder::experiments
