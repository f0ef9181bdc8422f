#include "experiments/simulate/simulation_report.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/string_view.h"

namespace ladder::experiments {
namespace {

constexpr PaperFigure kNone = {std::numeric_limits<double>::quiet_NaN(), 0};

struct PaperRow {
  absl::string_view method;
  PaperFigure figures[std::size(kSimTargets)][kSimMetrics.size()];
};

constexpr PaperRow kPaperRows[] = {
    // Table S1.
    {"ERM",
     {{{55.55, 5.51}, {.555, .042}, {5.08, .69}},
      {{42.34, 5.40}, {.664, .040}, {13.44, 1.81}}}},
    {"IRM",
     {{{45.86, 3.53}, {.626, .021}, {5.34, .71}},
      {{38.81, 2.38}, {.667, .010}, {13.54, 1.83}}}},
    {"EQRM",
     {{{53.52, 6.10}, {.574, .043}, {5.19, .73}},
      {{41.46, 5.38}, {.658, .036}, {13.48, 1.83}}}},
    {"DSNR",
     {{{55.24, 5.50}, {.557, .042}, {5.07, .70}},
      {{42.08, 5.59}, {.667, .043}, {13.43, 1.81}}}},
    {"RDM",
     {{{55.17, 4.80}, {.560, .037}, {5.12, .71}},
      {{42.03, 3.77}, {.660, .023}, {13.45, 1.81}}}},
    {"PooledJoint",
     {{{55.55, 5.51}, {.555, .042}, {5.09, .69}},
      {{42.35, 5.40}, {.664, .040}, {13.44, 1.80}}}},
    {"LADDER",
     {{{72.25, 12.89}, {.390, .151}, {4.27, .83}},
      {{85.76, 3.54}, {.239, .034}, {11.70, 1.73}}}},
    {"Oracle",
     {{{81.57, 2.86}, {.259, .037}, {0, 0}},
      {{92.02, 1.68}, {.115, .023}, {0, 0}}}},
    // Table S2.
    {"Pooled-Interaction",
     {{{61.74, 19.60}, {.534, .288}, {4.461, 1.281}},
      {{85.01, 10.43}, {.214, .138}, {9.836, 2.222}}}},
    {"Pooled-MLP",
     {{{58.21, 18.52}, {.646, .331}, kNone},
      {{78.57, 11.01}, {.322, .179}, kNone}}},
    {"StyleHyperNet",
     {{{64.46, 19.60}, {.505, .300}, {4.340, 1.346}},
      {{84.05, 11.60}, {.230, .175}, {9.128, 2.084}}}},
};

// The paper's figure for a method of kSimMethods on target `target` of
// kSimTargets: Table S1 or, for methods that it lacks, Table S2. None for the
// controls UniformExperts and NearestExpert and for variants of LADDER, which
// neither table has.
std::optional<PaperFigure> FindPaperFigure(absl::string_view method,
                                           size_t target, SimMetric metric) {
  for (const PaperRow& row : kPaperRows) {
    if (row.method != method) continue;
    const PaperFigure& figure = row.figures[target][metric];
    if (std::isnan(figure.mean)) return {};
    return figure;
  }
  return {};
}

using StudyOf = std::vector<TargetScores> Replication::*;

// The figures of setting `i` of a study, which is called `name`.
SimRow RowOf(std::span<const Replication> replications, StudyOf study, size_t i,
             std::string name) {
  SimRow row = {.name = std::move(name)};
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    for (size_t m = 0; m < kSimMetrics.size(); ++m) {
      std::vector<double> values;
      for (const Replication& replication : replications) {
        values.push_back((replication.*study)[i][t][m]);
      }
      if (std::isnan(values.front())) continue;
      row.figures[t][m] = FigureOf(std::move(values));
      row.figures[t][m]->paper =
          FindPaperFigure(row.name, t, static_cast<SimMetric>(m));
    }
  }
  return row;
}

std::vector<SimRow> RoutedRows(std::span<const Replication> replications,
                               StudyOf study,
                               std::span<const RoutedSetting> settings) {
  std::vector<SimRow> rows;
  for (size_t i = 0; i < settings.size(); ++i) {
    rows.push_back(RowOf(replications, study, i, settings[i].name));
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
    report.methods.push_back(
        RowOf(replications, &Replication::methods, i, kSimMethods[i]));
  }
  report.neighbours =
      RoutedRows(replications, &Replication::neighbours, NeighbourSettings());
  report.summaries =
      RoutedRows(replications, &Replication::summaries, SummarySettings());
  return report;
}

}  // namespace ladder::experiments
