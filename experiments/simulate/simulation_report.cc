#include "experiments/simulate/simulation_report.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "experiments/simulate/settings.h"

namespace ladder::trainer {
namespace {

using StudyOf = std::vector<TargetScores> Replication::*;

// Fills the figures of setting `i` of a study.
void FillFigures(std::span<const Replication> replications, StudyOf study,
                 size_t i, SimRow& row) {
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    for (size_t m = 0; m < kSimMetrics.size(); ++m) {
      std::vector<double> values;
      for (const Replication& replication : replications) {
        values.push_back((replication.*study)[i][t][m]);
      }
      if (std::isnan(values.front())) continue;
      row.figures[t][m] = FigureOf(std::move(values));
    }
  }
}

std::vector<SimRow> RoutedRows(std::span<const Replication> replications,
                               StudyOf study,
                               std::span<const RoutedSetting> settings) {
  std::vector<SimRow> rows;
  for (size_t i = 0; i < settings.size(); ++i) {
    FillFigures(replications, study, i,
                rows.emplace_back(SimRow{.name = settings[i].name}));
  }
  return rows;
}

}  // namespace

std::optional<double> SimFigure::DifferenceFromPaper() const {
  if (!paper.has_value()) return {};
  const double difference = mean - paper->mean;
  // The oracle's parameter error is zero, without any spread.
  if (difference == 0) return 0;
  return difference / std::hypot(standard_error, paper->StandardError());
}

SimFigure FigureOf(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  SimFigure figure;
  figure.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) {
    squares += (value - figure.mean) * (value - figure.mean);
  }
  figure.sd = std::sqrt(squares / (count - 1));
  figure.standard_error = figure.sd / std::sqrt(count);
  figure.values = std::move(values);
  return figure;
}

SimulationReport MakeSimulationReport(
    std::span<const Replication> replications) {
  SimulationReport report = {.num_replications = replications.size()};
  for (size_t i = 0; i < kSimMethods.size(); ++i) {
    SimRow& row = report.methods.emplace_back(SimRow{.name = kSimMethods[i]});
    FillFigures(replications, &Replication::methods, i, row);
    for (size_t t = 0; t < std::size(kSimTargets); ++t) {
      for (size_t m = 0; m < kSimMetrics.size(); ++m) {
        if (!row.figures[t][m].has_value()) continue;
        row.figures[t][m]->paper =
            FindPaperFigure(row.name, t, static_cast<SimMetric>(m));
      }
    }
  }
  report.neighbours =
      RoutedRows(replications, &Replication::neighbours, NeighbourSettings());
  report.summaries =
      RoutedRows(replications, &Replication::summaries, SummarySettings());
  return report;
}

}  // namespace ladder::trainer
