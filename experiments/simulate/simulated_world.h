#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/random_draws.h"
#include "experiments/simulate/column_matrix.h"

namespace ladder::experiments {

// The sizes of the paper's simulation.
inline constexpr size_t kSimClasses = 3;
inline constexpr size_t kSimContent = 10;
inline constexpr size_t kSimStyle = 8;
inline constexpr size_t kSimSources = 9;
inline constexpr size_t kSimRows = 1000;  // Samples in each domain.

struct SimulatedDomain {
  double coordinate = 0;      // Where the domain lies; no method sees it.
  ColumnMatrix content = {};  // kSimRows x kSimContent.
  // kSimRows x kSimStyle. As drawn at first; StandardizeStyles changes that
  // and fills the two summaries.
  ColumnMatrix style = {};
  std::vector<uint8_t> labels = {};
  std::vector<float> summary = {};  // One value per coordinate of the style.
  float style_index = 0;            // One number for the whole style.
};

// A world with a mechanism that changes with the domain: labels follow
// softmax(beta(c) z) with beta(c) = base + c shift, where c also decides the
// spread of two weak coordinates of the style, among loud ones that tell
// nothing. docs/experiments.md has the constants and where they come from.
struct SimulatedWorld {
  // The true coefficients at `coordinate`, kSimClasses x kSimContent,
  // row-major.
  std::vector<float> Coefficients(double coordinate) const;

  std::vector<double> base = {};
  std::vector<double> shift = {};
  std::vector<SimulatedDomain> sources = {};
  std::vector<SimulatedDomain> targets = {};  // Those of kSimTargets.
};

struct SimulatedTarget {
  const char* name;
  const char* meaning;
  double coordinate;
};
inline constexpr SimulatedTarget kSimTargets[] = {
    {"A", "interpolation, c = 2", 2}, {"B", "extrapolation, c = 6", 6}};

// Draws coefficients and all samples, then calls StandardizeStyles.
SimulatedWorld DrawWorld(RandomDraws& draws);

// Shifts and scales the styles of all domains by mean and standard deviation of
// all sources' samples together. A domain's summary is then the standard
// deviation of every coordinate, its index the mean of all values, both
// z-scored over the sources.
void StandardizeStyles(std::span<SimulatedDomain> sources,
                       std::span<SimulatedDomain> targets);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATED_WORLD_H_
