#include "experiments/simulate/simulated_world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace ladder::experiments {
namespace {

constexpr double kFirstSource = -5;
constexpr double kSourceStep = 1.25;
constexpr double kBaseScale = 0.6;
constexpr double kShiftScale = 0.4;
constexpr double kStyleShift = 0.017;  // Added to the logarithm per unit of c.
constexpr double kNuisanceScale = 3;

double StyleScale(size_t style, double coordinate) {
  if (style == 0) return std::exp(kStyleShift * coordinate);
  if (style == 1) return std::exp(-kStyleShift * coordinate);
  return kNuisanceScale;
}

std::vector<double> DrawCoefficients(double scale, RandomDraws& draws) {
  std::vector<double> values(kSimClasses * kSimContent);
  for (double& value : values) value = scale * draws.Normal();
  return values;
}

// The class at which the cumulative probability passes `uniform`.
uint8_t DrawLabel(const std::array<double, kSimClasses>& logits,
                  double uniform) {
  std::array<double, kSimClasses> cumulative = {};
  double sum = 0;
  for (size_t k = 0; k < kSimClasses; ++k) {
    sum += std::exp(logits[k]);
    cumulative[k] = sum;
  }
  uint8_t label = 0;
  while (label + 1u < kSimClasses && cumulative[label] <= uniform * sum) {
    ++label;
  }
  return label;
}

SimulatedDomain DrawDomain(const SimulatedWorld& world, double coordinate,
                           RandomDraws& draws) {
  SimulatedDomain domain = {.coordinate = coordinate,
                            .content = ColumnMatrix(kSimRows, kSimContent),
                            .style = ColumnMatrix(kSimRows, kSimStyle)};
  for (size_t row = 0; row < kSimRows; ++row) {
    for (size_t j = 0; j < kSimContent; ++j) {
      domain.content.Column(j)[row] = static_cast<float>(draws.Normal());
    }
  }
  for (size_t row = 0; row < kSimRows; ++row) {
    for (size_t j = 0; j < kSimStyle; ++j) {
      domain.style.Column(j)[row] =
          static_cast<float>(StyleScale(j, coordinate) * draws.Normal());
    }
  }
  const std::vector<float> beta = world.Coefficients(coordinate);
  for (size_t row = 0; row < kSimRows; ++row) {
    std::array<double, kSimClasses> logits = {};
    for (size_t k = 0; k < kSimClasses; ++k) {
      for (size_t j = 0; j < kSimContent; ++j) {
        logits[k] += static_cast<double>(beta[k * kSimContent + j]) *
                     static_cast<double>(domain.content.Column(j)[row]);
      }
    }
    domain.labels.push_back(DrawLabel(logits, draws.Uniform()));
  }
  return domain;
}

constexpr double kTiny = 1e-6;  // Keeps a constant column from dividing by 0.

// Mean and population standard deviation of what was added. Values are of order
// one, so that plain sums of squares in double lose nothing that matters.
class Moments {
 public:
  void Add(std::span<const float> values) {
    for (const float value : values) {
      const auto x = static_cast<double>(value);
      sum_ += x;
      squares_ += x * x;
    }
    count_ += static_cast<double>(values.size());
  }
  double Mean() const { return sum_ / count_; }
  double Deviation() const {
    return std::sqrt(std::max(0.0, squares_ / count_ - Mean() * Mean()));
  }
  float Standardized(float value) const {
    return static_cast<float>((static_cast<double>(value) - Mean()) /
                              (Deviation() + kTiny));
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

Moments MomentsOf(std::span<const float> values) {
  Moments moments;
  moments.Add(values);
  return moments;
}

// Standardises what `value(domain)` refers to by its moments over the sources.
template <typename Value>
void StandardizeOverSources(std::span<SimulatedDomain> sources,
                            std::span<SimulatedDomain> targets, Value value) {
  Moments moments;
  for (SimulatedDomain& domain : sources) moments.Add(value(domain));
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      for (float& x : value(domain)) x = moments.Standardized(x);
    }
  }
}

}  // namespace

std::vector<float> SimulatedWorld::Coefficients(double coordinate) const {
  std::vector<float> values;
  for (size_t i = 0; i < base.size(); ++i) {
    values.push_back(static_cast<float>(base[i] + coordinate * shift[i]));
  }
  return values;
}

SimulatedWorld DrawWorld(RandomDraws& draws) {
  SimulatedWorld world;
  world.base = DrawCoefficients(kBaseScale, draws);
  world.shift = DrawCoefficients(kShiftScale, draws);
  for (size_t e = 0; e < kSimSources; ++e) {
    const double coordinate =
        kFirstSource + kSourceStep * static_cast<double>(e);
    world.sources.push_back(DrawDomain(world, coordinate, draws));
  }
  for (const SimulatedTarget& target : kSimTargets) {
    world.targets.push_back(DrawDomain(world, target.coordinate, draws));
  }
  StandardizeStyles(world.sources, world.targets);
  return world;
}

void StandardizeStyles(std::span<SimulatedDomain> sources,
                       std::span<SimulatedDomain> targets) {
  for (size_t j = 0; j < kSimStyle; ++j) {
    StandardizeOverSources(sources, targets, [j](SimulatedDomain& domain) {
      return domain.style.Column(j);
    });
  }
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      domain.summary.clear();
      for (size_t j = 0; j < kSimStyle; ++j) {
        domain.summary.push_back(
            static_cast<float>(MomentsOf(domain.style.Column(j)).Deviation()));
      }
      domain.style_index =
          static_cast<float>(MomentsOf(domain.style.values).Mean());
    }
  }
  for (size_t j = 0; j < kSimStyle; ++j) {
    StandardizeOverSources(sources, targets, [j](SimulatedDomain& domain) {
      return std::span<float>(&domain.summary[j], 1);
    });
  }
  StandardizeOverSources(sources, targets, [](SimulatedDomain& domain) {
    return std::span<float>(&domain.style_index, 1);
  });
}

}  // namespace ladder::experiments
