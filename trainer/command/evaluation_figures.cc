#include "trainer/command/evaluation_figures.h"

#include "experiments/diagnose/charts.h"

namespace ladder::trainer {
namespace {

constexpr Metric kShown[] = {Metric::kAccuracy, Metric::kMacroF1,
                             Metric::kFilteredAverage};

bool AllHave(const std::vector<MethodSummary>& points, Metric metric) {
  for (const MethodSummary& point : points) {
    if (point.metrics.count(metric) == 0) return false;
  }
  return !points.empty();
}

}  // namespace

std::string KSweepFigure(const std::vector<MethodSummary>& k_sweep) {
  experiments::LineChart chart = {
      .text = {.title = "LADDER over the number of sources K",
               .x_label = "K and tau",
               .y_label = "percent"}};
  for (const MethodSummary& point : k_sweep) {
    chart.slots.push_back(point.method);
  }
  for (const Metric metric : kShown) {
    if (!AllHave(k_sweep, metric)) continue;
    experiments::LineSeries series = {.name =
                                          std::string(InfoOf(metric).title)};
    for (const MethodSummary& point : k_sweep) {
      const Spread& spread = point.metrics.at(metric);
      series.values.push_back(100 * spread.mean);
      series.errors.push_back(100 * spread.sd.value_or(0));
    }
    chart.series.push_back(std::move(series));
  }
  return experiments::DrawLineChart(chart);
}

}  // namespace ladder::trainer
