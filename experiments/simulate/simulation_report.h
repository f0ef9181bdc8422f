#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/simulate/paper_figures.h"
#include "experiments/simulate/replication.h"

namespace ladder::trainer {

// One metric of one setting on one target, over the replications.
struct SimFigure {
  double mean = 0;
  double sd = 0;  // With n - 1.
  double standard_error = 0;
  std::vector<double> values = {};  // By replication.
  std::optional<PaperFigure> paper = {};

  // How many standard errors of the difference this is above the paper's
  // figure; none without one.
  std::optional<double> DifferenceFromPaper() const;
};

SimFigure FigureOf(std::vector<double> values);

// A setting's figures by target and SimMetric; none where the setting has no
// such score.
struct SimRow {
  std::string name = {};
  std::array<std::array<std::optional<SimFigure>, kSimMetrics.size()>,
             std::size(kSimTargets)>
      figures = {};
};

struct SimulationReport {
  size_t num_replications = 0;
  std::vector<SimRow> methods = {};     // As kSimMethods.
  std::vector<SimRow> neighbours = {};  // As NeighbourSettings().
  std::vector<SimRow> summaries = {};   // As SummarySettings().
};

// Expects at least two replications.
SimulationReport MakeSimulationReport(
    std::span<const Replication> replications);

// For people: one table per target, beside the paper's figures, then LADDER's
// ablations.
std::string SimulationText(const SimulationReport& report);

// For machines: a line per study, setting, target and metric.
std::string SimulationCsv(const SimulationReport& report);

// The same, with the value of every replication.
nlohmann::ordered_json SimulationJson(const SimulationReport& report);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_
