#ifndef LADDER_EXPERIMENTS_DIAGNOSE_SCATTER_PLOT_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_SCATTER_PLOT_H_

#include <string>
#include <vector>

#include "experiments/diagnose/plot_frame.h"
#include "experiments/diagnose/point.h"

namespace ladder::trainer {

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

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_SCATTER_PLOT_H_
