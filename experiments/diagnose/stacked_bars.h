#ifndef LADDER_EXPERIMENTS_DIAGNOSE_STACKED_BARS_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_STACKED_BARS_H_

#include <string>
#include <vector>

#include "experiments/diagnose/plot_frame.h"

namespace ladder::trainer {

struct Bar {
  std::string name = {};
  std::vector<double> parts = {};  // One per part of the chart, from 0 on.
};

struct StackedBars {
  PlotText text = {};
  std::vector<std::string> parts = {};
  std::vector<Bar> bars = {};
};

// The chart as SVG: every bar's parts upon each other, the first at the bottom.
// Parts that are not positive or not finite are left out, as is what a bar has
// beyond the chart's parts.
std::string DrawStackedBars(const StackedBars& chart);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_STACKED_BARS_H_
