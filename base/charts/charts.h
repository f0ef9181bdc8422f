#ifndef LADDER_BASE_CHARTS_CHARTS_H_
#define LADDER_BASE_CHARTS_CHARTS_H_

#include <string>
#include <vector>

#include "base/charts/plot_frame.h"
#include "base/charts/svg.h"

namespace ladder::base {

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

struct ScatterGroup {
  std::string name = {};
  std::vector<Point> points = {};
};

struct ScatterPlot {
  PlotText text = {};
  std::vector<ScatterGroup> groups = {};
};

// The plot as SVG: a mark for every point, its colour and shape by its group.
// Points that are not finite are left out.
std::string DrawScatterPlot(const ScatterPlot& plot);

struct StackedBar {
  std::string name = {};
  std::vector<double> parts = {};  // The height of each part of the chart.
};

struct StackedBars {
  PlotText text = {};
  std::vector<std::string> parts = {};
  std::vector<StackedBar> bars = {};
};

// The chart as SVG: every bar's parts upon each other, the first at the bottom.
// Parts that are not positive or not finite are left out, as is what a bar has
// beyond the chart's parts.
std::string DrawStackedBars(const StackedBars& chart);

}  // namespace ladder::base

#endif  // LADDER_BASE_CHARTS_CHARTS_H_
