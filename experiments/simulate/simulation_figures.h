#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATION_FIGURES_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATION_FIGURES_H_

#include <string>
#include <vector>

#include "experiments/simulate/simulation_report.h"

namespace ladder::trainer {

struct NamedFigure {
  std::string file_name = {};  // "k_accuracy.svg"
  std::string svg = {};
};

// LADDER's ablations with standard errors, a chart per metric: over K and over
// tau both targets in one (k_*, tau_*), over n0 one chart per target with a
// line for every tau and for UniformExperts (n0_a_*, n0_b_*).
std::vector<NamedFigure> SimulationFigures(const SimulationReport& report);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATION_FIGURES_H_
