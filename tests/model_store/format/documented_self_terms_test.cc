// docs/model_format.md tells others how to compute `self_terms`; this is that
// text in C++, so that the page cannot drift away from the code.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"
#include "routing/fingerprints.h"
#include "tests/routing/cloud.h"

namespace ladder::model_store {
namespace {

using routing::Cloud;
using Matrix = std::vector<std::vector<double>>;

Matrix Costs(const Cloud& cloud) {
  Matrix costs(cloud.rows, std::vector<double>(cloud.rows));
  for (size_t i = 0; i < cloud.rows; ++i) {
    for (size_t j = 0; j < cloud.rows; ++j) {
      double squared = 0;
      for (size_t k = 0; k < cloud.cols; ++k) {
        const double gap =
            double{cloud.View().Row(i)[k]} - double{cloud.View().Row(j)[k]};
        squared += gap * gap;
      }
      costs[i][j] = std::sqrt(std::max(squared, 1e-8));
    }
  }
  return costs;
}

std::vector<double> Transform(const Matrix& costs, double e,
                              const std::vector<double>& q) {
  const auto n = static_cast<double>(q.size());
  std::vector<double> result;
  for (const std::vector<double>& row : costs) {
    double top = -std::numeric_limits<double>::infinity();
    for (size_t j = 0; j < q.size(); ++j) {
      top = std::max(top, (q[j] - row[j]) / e);
    }
    double sum = 0;
    for (size_t j = 0; j < q.size(); ++j) {
      sum += std::exp((q[j] - row[j]) / e - top);
    }
    result.push_back(-e * (top + std::log(sum / n)));
  }
  return result;
}

double DocumentedSelfTerm(const Cloud& cloud, double blur, double scaling,
                          int node) {
  const Matrix costs = Costs(cloud);
  const double t = 0.5 - 0.5 * std::cos((node + 0.5) * std::numbers::pi / 5);
  const double k = std::ceil(std::log(35) / -std::log(scaling));
  const double d = blur * std::pow(scaling, -(t + k - 1));
  std::vector<double> eps = {d};
  for (int i = 0; i < k; ++i) eps.push_back(d * std::pow(scaling, i));
  eps.push_back(blur);

  std::vector<double> q =
      Transform(costs, d, std::vector<double>(cloud.rows, 0));
  for (const double e : eps) {
    const std::vector<double> transformed = Transform(costs, e, q);
    for (size_t i = 0; i < q.size(); ++i) q[i] = 0.5 * (q[i] + transformed[i]);
  }
  double sum = 0;
  for (const double value : Transform(costs, blur, q)) sum += value;
  return sum / static_cast<double>(cloud.rows);
}

TEST(DocumentedSelfTermsTest, AreThoseOfTheCode) {
  const std::vector<double> means = {0, 0};
  // From points that all exchange mass to points that hardly do.
  for (const double deviation : {0.05, 0.3, 2.0}) {
    const Cloud cloud = routing::NormalCloud(50, means, deviation, /*seed=*/1);
    for (const routing::SinkhornOptions options :
         {routing::SinkhornOptions{},
          routing::SinkhornOptions{.blur = 0.1, .scaling = 0.6}}) {
      const auto fingerprints =
          routing::Fingerprints::Create({{cloud.View()}}, options, {}).value();
      for (int node = 0; node < 5; ++node) {
        EXPECT_NEAR(
            fingerprints.self_term(0).values()[static_cast<size_t>(node)],
            DocumentedSelfTerm(cloud, options.blur, options.scaling, node),
            1e-7)
            << "deviation " << deviation << ", node " << node;
      }
    }
  }
}

}  // namespace
}  // namespace ladder::model_store
