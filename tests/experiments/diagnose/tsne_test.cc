#include "experiments/diagnose/tsne.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/experiments/diagnose/random_values.h"

namespace ladder::experiments {
namespace {

using base::Point;
constexpr size_t kCount = 40;
constexpr size_t kDimension = 5;
constexpr double kPerplexity = 8;

std::vector<double> RandomPoints() {
  const std::vector<float> values = RandomValues(kCount * kDimension, 7);
  return {values.begin(), values.end()};
}

std::vector<Point> FirstCoordinates(const std::vector<double>& points) {
  std::vector<Point> start;
  for (size_t i = 0; i < kCount; ++i) {
    start.push_back({points[i * kDimension], points[i * kDimension + 1]});
  }
  return start;
}

// q_ij of places in the plane, before it is scaled to sum to one.
double Nearness(const Point& a, const Point& b) {
  return 1 / (1 + std::pow(a.x - b.x, 2) + std::pow(a.y - b.y, 2));
}

TEST(TsneTest, EndsWhereTheGradientVanishes) {
  const std::vector<double> points = RandomPoints();

  const auto places =
      Tsne(points, kDimension, FirstCoordinates(points),
           {.perplexity = kPerplexity, .num_iterations = 3000}, {});

  // The derivative of KL(P, Q) by the x of each place, from its definition: the
  // sum over j of 4 (p_ij - q_ij / sum) q_ij (x_i - x_j).
  ASSERT_TRUE(places.ok()) << places.status();
  const std::vector<float> p =
      TsneAffinities(points, kDimension, kPerplexity, {}).value();
  double sum = 0;
  for (const Point& a : *places) {
    for (const Point& b : *places) sum += Nearness(a, b);
  }
  sum -= kCount;
  for (size_t i = 0; i < kCount; ++i) {
    double gradient = 0;
    double largest_term = 0;
    for (size_t j = 0; j < kCount; ++j) {
      const double q = Nearness((*places)[i], (*places)[j]);
      const double dx = (*places)[i].x - (*places)[j].x;
      gradient += (p[i * kCount + j] - q / sum) * q * dx;
      largest_term =
          std::max(largest_term, std::abs(p[i * kCount + j] * q * dx));
    }
    EXPECT_LT(std::abs(gradient), 1e-3 * largest_term) << i;
  }
}

TEST(TsneTest, StartsFromTheShapeOfTheStartNotItsSize) {
  const std::vector<double> points = RandomPoints();
  std::vector<Point> start = FirstCoordinates(points);
  const TsneOptions options = {.num_iterations = 50};
  const auto places = Tsne(points, kDimension, start, options, {});
  // A power of two, which changes no rounding.
  for (Point& place : start) place = {1024 * place.x, 1024 * place.y};

  const auto enlarged = Tsne(points, kDimension, start, options, {});

  ASSERT_TRUE(places.ok() && enlarged.ok());
  for (size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ((*places)[i].x, (*enlarged)[i].x);
    EXPECT_EQ((*places)[i].y, (*enlarged)[i].y);
  }
}

}  // namespace
}  // namespace ladder::experiments
