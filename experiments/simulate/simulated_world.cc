#include "experiments/simulate/simulated_world.h"

#include <cmath>
#include <cstdint>
#include <span>

namespace ladder::experiments {
namespace {

constexpr double kFirstSource = -5;
constexpr double kSourceStep = 1.25;
constexpr double kBaseScale = 0.6;
constexpr double kShiftScale = 0.4;
constexpr double kStyleShift = 0.017;  // Added to the logarithm per unit of c.
constexpr double kNuisanceScale = 3;
constexpr double kTiny = 1e-6;  // Keeps a constant column from dividing by 0.

// A matrix of what `draw` gives, row after row, in double.
template <typename Draw>
torch::Tensor DrawMatrix(int64_t rows, int64_t cols, Draw draw) {
  torch::Tensor values = torch::empty({rows, cols}, torch::kDouble);
  std::generate_n(values.data_ptr<double>(), values.numel(), draw);
  return values;
}

SimulatedDomain DrawDomain(const SimulatedWorld& world, double coordinate,
                           RandomDraws& draws) {
  const auto normal = [&] { return draws.Normal(); };
  SimulatedDomain domain = {.coordinate = coordinate};
  domain.content = DrawMatrix(kSimRows, kSimContent, normal).to(torch::kFloat);
  torch::Tensor scales =
      torch::full({kSimStyle}, kNuisanceScale, torch::kDouble);
  scales[0] = std::exp(kStyleShift * coordinate);
  scales[1] = std::exp(-kStyleShift * coordinate);
  domain.style =
      (scales * DrawMatrix(kSimRows, kSimStyle, normal)).to(torch::kFloat);
  // The label is the class at which the cumulative probability passes a uniform
  // draw.
  const torch::Tensor logits =
      domain.content.to(torch::kDouble)
          .matmul(world.Coefficients(coordinate).to(torch::kDouble).t());
  const torch::Tensor passed =
      logits.softmax(1).cumsum(1) <=
      DrawMatrix(kSimRows, 1, [&] { return draws.Uniform(); });
  domain.labels = passed.sum(1).clamp_max(int64_t{kSimClasses - 1});
  return domain;
}

// Standardises `value` of all domains by its columns' moments over the sources.
void StandardizeOverSources(std::span<SimulatedDomain> sources,
                            std::span<SimulatedDomain> targets,
                            torch::Tensor SimulatedDomain::*value) {
  std::vector<torch::Tensor> rows;
  for (const SimulatedDomain& source : sources) rows.push_back(source.*value);
  const torch::Tensor pooled = torch::cat(rows).to(torch::kDouble);
  const torch::Tensor mean = pooled.mean(0);
  const torch::Tensor scale = pooled.std(0, /*unbiased=*/false) + kTiny;
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      domain.*value = ((domain.*value - mean) / scale).to(torch::kFloat);
    }
  }
}

void StandardizeStyles(std::span<SimulatedDomain> sources,
                       std::span<SimulatedDomain> targets) {
  StandardizeOverSources(sources, targets, &SimulatedDomain::style);
  for (const auto domains : {sources, targets}) {
    for (SimulatedDomain& domain : domains) {
      const torch::Tensor style = domain.style.to(torch::kDouble);
      domain.summary = style.std(0, /*unbiased=*/false, /*keepdim=*/true);
      domain.style_index = style.mean().reshape({1, 1});
    }
  }
  StandardizeOverSources(sources, targets, &SimulatedDomain::summary);
  StandardizeOverSources(sources, targets, &SimulatedDomain::style_index);
}

}  // namespace

torch::Tensor SimulatedWorld::Coefficients(double coordinate) const {
  return (base + coordinate * shift).to(torch::kFloat);
}

SimulatedWorld DrawWorld(RandomDraws& draws) {
  const auto normal = [&] { return draws.Normal(); };
  SimulatedWorld world;
  world.base = kBaseScale * DrawMatrix(kSimClasses, kSimContent, normal);
  world.shift = kShiftScale * DrawMatrix(kSimClasses, kSimContent, normal);
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

}  // namespace ladder::experiments
