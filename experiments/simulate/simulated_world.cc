#include "experiments/simulate/simulated_world.h"

#include <array>
#include <cmath>

namespace ladder::trainer {
namespace {

constexpr double kFirstSource = -5;
constexpr double kSourceStep = 1.25;
constexpr double kBaseScale = 0.6;
constexpr double kShiftScale = 0.4;
constexpr double kStyleShift = 0.017;  // Of the logarithm, per unit of c.
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

}  // namespace ladder::trainer
