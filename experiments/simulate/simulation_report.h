#ifndef LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_
#define LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/simulate/simulation.h"

namespace ladder::experiments {

// A figure as the paper prints it, over 100 repetitions.
struct PaperFigure {
  double mean = 0;
  double sd = 0;

  double StandardError() const { return sd / 10; }
};

// One metric of one setting on one target, over the replications.
struct SimFigure {
  double mean = 0;
  double sd = 0;  // The sample's, which divides by n - 1.
  double standard_error = 0;
  std::vector<double> values = {};  // One per replication.
  std::optional<PaperFigure> paper = {};

  // The number of standard errors of the difference that this is above the
  // paper's figure; none without one.
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
  std::vector<SimRow> methods = {};     // One for each of kSimMethods,
  std::vector<SimRow> neighbours = {};  // of NeighbourSettings()
  std::vector<SimRow> summaries = {};   // and of SummarySettings().
};

// Expects at least two replications.
SimulationReport MakeSimulationReport(
    std::span<const Replication> replications);

// The text for people has one table per target, beside the paper's figures,
// then LADDER's ablations.
std::string SimulationText(const SimulationReport& report);

// The CSV for machines has a line per study, setting, target and metric.
std::string SimulationCsv(const SimulationReport& report);

// The same, with the value of every replication.
nlohmann::ordered_json SimulationJson(const SimulationReport& report);

struct NamedFigure {
  std::string file_name = {};  // "k_accuracy.svg"
  std::string svg = {};
};

// LADDER's ablations with standard errors, a chart per metric: over K and over
// tau both targets in one (k_*, tau_*), over n0 one chart per target with a
// line for every tau and for UniformExperts (n0_a_*, n0_b_*).
std::vector<NamedFigure> SimulationFigures(const SimulationReport& report);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_SIMULATE_SIMULATION_REPORT_H_
