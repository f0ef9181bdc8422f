#include "experiments/diagnose/scatter_plot.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "experiments/diagnose/group_style.h"

namespace ladder::trainer {
namespace {

// Smaller marks where there are many, so that they hide less of each other.
double MarkRadius(size_t num_points) {
  if (num_points <= 150) return 4.5;
  return num_points <= 600 ? 3.5 : 2.8;
}

}  // namespace

std::string DrawScatterPlot(const ScatterPlot& plot) {
  Legend legend;
  std::vector<double> x;
  std::vector<double> y;
  for (const ScatterGroup& group : plot.groups) {
    legend.names.push_back(group.name);
    for (const Point& point : group.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      x.push_back(point.x);
      y.push_back(point.y);
    }
  }
  PlotFrame frame(plot.text, ValueAxis(PaddedRange(x)),
                  ValueAxis(PaddedRange(y)), legend);
  for (size_t i = 0; i < plot.groups.size(); ++i) {
    for (const Point& point : plot.groups[i].points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      DrawMark(frame.svg(), frame.At(point.x, point.y), MarkRadius(x.size()),
               i);
    }
  }
  return std::move(frame).Finish();
}

}  // namespace ladder::trainer
