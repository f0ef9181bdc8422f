#ifndef LADDER_EXPERIMENTS_DIAGNOSE_LINE_CHART_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_LINE_CHART_H_

#include <string>
#include <vector>

#include "experiments/diagnose/plot_frame.h"

namespace ladder::trainer {

struct LineSeries {
  std::string name = {};
  std::vector<double> values = {};
  // How far the error bars reach to each side; empty for none.
  std::vector<double> errors = {};
};

struct LineChart {
  PlotText text = {};
  std::vector<std::string> slots = {};  // What the values of a series are for.
  std::vector<LineSeries> series = {};  // Each with one value per slot.
};

// The chart as SVG: a line with a mark and an error bar at every slot for each
// of the series. Values that are not finite are left out, as is what a series
// has beyond the slots.
std::string DrawLineChart(const LineChart& chart);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_LINE_CHART_H_
