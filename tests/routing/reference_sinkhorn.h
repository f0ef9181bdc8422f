#ifndef LADDER_TESTS_ROUTING_REFERENCE_SINKHORN_H_
#define LADDER_TESTS_ROUTING_REFERENCE_SINKHORN_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "routing/matrix_view.h"

namespace ladder::routing {

// The debiased Sinkhorn divergence written straight from its definition, in
// double precision, one exponential at a time: what the fast solver must equal.
class ReferenceSinkhorn {
 public:
  explicit ReferenceSinkhorn(double blur = 0.05, double scaling = 0.8)
      : blur_(blur), scaling_(scaling) {}

  double Divergence(const MatrixView& x, const MatrixView& y) const {
    const double diameter = Diameter(x, y);
    if (diameter == 0) return 0;
    const std::vector<double> schedule = Schedule(diameter);
    const Potentials cross = Solve(Costs(x, y), schedule);
    const Potentials self_x = Solve(Costs(x, x), schedule);
    const Potentials self_y = Solve(Costs(y, y), schedule);
    return Mean(cross.f) - Mean(self_x.f) + Mean(cross.g) - Mean(self_y.f);
  }

  static double Diameter(const MatrixView& x, const MatrixView& y) {
    double squared = 0;
    for (size_t k = 0; k < x.cols; ++k) {
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (const MatrixView* cloud : {&x, &y}) {
        for (size_t i = 0; i < cloud->rows; ++i) {
          low = std::min<double>(low, cloud->Row(i)[k]);
          high = std::max<double>(high, cloud->Row(i)[k]);
        }
      }
      squared += (high - low) * (high - low);
    }
    return std::sqrt(squared);
  }

  std::vector<double> Schedule(double diameter) const {
    std::vector<double> steps = {diameter};
    const auto count = static_cast<int>(
        std::ceil((std::log(blur_) - std::log(diameter)) / std::log(scaling_)));
    for (int i = 0; i < count; ++i) {
      steps.push_back(std::exp(std::log(diameter) + i * std::log(scaling_)));
    }
    steps.push_back(blur_);
    return steps;
  }

 private:
  using Matrix = std::vector<std::vector<double>>;
  struct Potentials {
    std::vector<double> f;
    std::vector<double> g;
  };

  static Matrix Costs(const MatrixView& x, const MatrixView& y) {
    Matrix costs(x.rows, std::vector<double>(y.rows));
    for (size_t i = 0; i < x.rows; ++i) {
      for (size_t j = 0; j < y.rows; ++j) {
        double squared = 0;
        for (size_t k = 0; k < x.cols; ++k) {
          const double gap = static_cast<double>(x.Row(i)[k]) - y.Row(j)[k];
          squared += gap * gap;
        }
        costs[i][j] = std::sqrt(std::max(squared, 1e-8));
      }
    }
    return costs;
  }

  template <class CostTo>
  static double Transform(const std::vector<double>& potential, double epsilon,
                          CostTo cost_to) {
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < potential.size(); ++k) {
      largest = std::max(largest, (potential[k] - cost_to(k)) / epsilon);
    }
    double sum = 0;
    for (size_t k = 0; k < potential.size(); ++k) {
      sum += std::exp((potential[k] - cost_to(k)) / epsilon - largest);
    }
    const auto count = static_cast<double>(potential.size());
    return -epsilon * (largest + std::log(sum / count));
  }

  static Potentials Transform(const Matrix& costs, const Potentials& old,
                              double epsilon) {
    Potentials result = old;
    for (size_t i = 0; i < old.f.size(); ++i) {
      result.f[i] =
          Transform(old.g, epsilon, [&](size_t j) { return costs[i][j]; });
    }
    for (size_t j = 0; j < old.g.size(); ++j) {
      result.g[j] =
          Transform(old.f, epsilon, [&](size_t i) { return costs[i][j]; });
    }
    return result;
  }

  // A self problem is a cross problem whose two sides move alike.
  static Potentials Solve(const Matrix& costs,
                          const std::vector<double>& schedule) {
    Potentials now{std::vector<double>(costs.size()),
                   std::vector<double>(costs[0].size())};
    now = Transform(costs, now, schedule.front());
    for (const double epsilon : schedule) {
      const Potentials next = Transform(costs, now, epsilon);
      for (size_t i = 0; i < now.f.size(); ++i) {
        now.f[i] = 0.5 * (now.f[i] + next.f[i]);
      }
      for (size_t j = 0; j < now.g.size(); ++j) {
        now.g[j] = 0.5 * (now.g[j] + next.g[j]);
      }
    }
    return Transform(costs, now, schedule.back());
  }

  static double Mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }

  double blur_;
  double scaling_;
};

}  // namespace ladder::routing

#endif  // LADDER_TESTS_ROUTING_REFERENCE_SINKHORN_H_
