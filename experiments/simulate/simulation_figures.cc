#include <cstddef>
#include <span>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/charts/charts.h"
#include "experiments/simulate/simulation_report.h"

namespace ladder::experiments {
namespace {

using base::LineChart;
using base::LineSeries;

void AddPoint(const SimRow& row, size_t target, size_t metric,
              LineSeries& series) {
  const SimFigure& figure = *row.figures[target][metric];
  series.values.push_back(figure.mean);
  series.errors.push_back(figure.standard_error);
}

LineChart EmptyChart(absl::string_view title, absl::string_view x_label,
                     size_t metric) {
  return {.text = {.title = std::string(title),
                   .x_label = std::string(x_label),
                   .y_label = kSimMetrics[metric].title}};
}

// Both targets over the settings of `rows`.
LineChart TargetsChart(LineChart chart, std::span<const SimRow> rows,
                       size_t metric) {
  for (size_t t = 0; t < std::size(kSimTargets); ++t) {
    LineSeries& series = chart.series.emplace_back();
    series.name = absl::StrCat("target ", kSimTargets[t].name);
    for (const SimRow& row : rows) AddPoint(row, t, metric, series);
  }
  return chart;
}

LineChart NeighbourChart(const SimulationReport& report, size_t metric) {
  LineChart chart =
      EmptyChart("LADDER over the number of neighbours", "K", metric);
  for (const SimRow& row : report.neighbours) {
    chart.slots.push_back(row.name.substr(2));  // Without "K=".
  }
  return TargetsChart(std::move(chart), report.neighbours, metric);
}

LineChart TauChart(const SimulationReport& report, size_t metric) {
  LineChart chart =
      EmptyChart("LADDER over the temperature, n0 = 1000", "tau", metric);
  std::vector<SimRow> rows;
  for (size_t i = 0; i < kSimTaus.size(); ++i) {
    chart.slots.push_back(absl::StrCat(kSimTaus[i]));
    rows.push_back(report.summaries[(i + 1) * kSimSummaryRows.size() - 1]);
  }
  return TargetsChart(std::move(chart), rows, metric);
}

LineChart SummaryChart(const SimulationReport& report, size_t target,
                       size_t metric) {
  LineChart chart =
      EmptyChart(absl::StrCat("LADDER over the target's samples, target ",
                              kSimTargets[target].name),
                 "n0", metric);
  for (const size_t rows : kSimSummaryRows) {
    chart.slots.push_back(absl::StrCat(rows));
  }
  for (size_t i = 0; i < kSimTaus.size(); ++i) {
    LineSeries& series = chart.series.emplace_back();
    series.name = absl::StrCat("tau = ", kSimTaus[i]);
    for (size_t n = 0; n < kSimSummaryRows.size(); ++n) {
      AddPoint(report.summaries[i * kSimSummaryRows.size() + n], target, metric,
               series);
    }
  }
  for (const SimRow& row : report.methods) {
    if (row.name != "UniformExperts") continue;
    LineSeries& series = chart.series.emplace_back();
    series.name = "uniform";
    for (size_t n = 0; n < kSimSummaryRows.size(); ++n) {
      AddPoint(row, target, metric, series);
    }
  }
  return chart;
}

}  // namespace

std::vector<NamedFigure> SimulationFigures(const SimulationReport& report) {
  std::vector<NamedFigure> figures;
  const auto add = [&](absl::string_view name, size_t metric,
                       const LineChart& chart) {
    figures.push_back(
        {.file_name = absl::StrCat(name, "_", kSimMetrics[metric].key, ".svg"),
         .svg = base::DrawLineChart(chart)});
  };
  for (size_t m = 0; m < kSimMetrics.size(); ++m) {
    add("k", m, NeighbourChart(report, m));
    add("tau", m, TauChart(report, m));
    for (size_t t = 0; t < std::size(kSimTargets); ++t) {
      add(absl::StrCat("n0_", absl::AsciiStrToLower(kSimTargets[t].name)), m,
          SummaryChart(report, t, m));
    }
  }
  return figures;
}

}  // namespace ladder::experiments
