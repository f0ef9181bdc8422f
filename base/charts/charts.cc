#include "base/charts/charts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ladder::base {
namespace {

constexpr double kMarkRadius = 4.5;
constexpr double kCapWidth = 8;
// Error bars at one place would hide each other, so the series stand this far
// apart, in slots.
constexpr double kShift = 0.05;

struct Mark {
  double x = 0;
  double y = 0;
  double error = 0;
};

std::vector<Mark> Marks(const LineChart& chart, size_t index) {
  const LineSeries& series = chart.series[index];
  const double middle = static_cast<double>(chart.series.size() - 1) / 2;
  const double shift = kShift * (static_cast<double>(index) - middle);
  std::vector<Mark> marks;
  for (size_t i = 0; i < std::min(series.values.size(), chart.slots.size());
       ++i) {
    if (!std::isfinite(series.values[i])) continue;
    const bool has_error =
        i < series.errors.size() && std::isfinite(series.errors[i]);
    marks.push_back({static_cast<double>(i) + shift, series.values[i],
                     has_error ? series.errors[i] : 0});
  }
  return marks;
}

void DrawErrorBar(PlotFrame& frame, const Mark& mark,
                  const std::string& stroke) {
  const Point low = frame.At(mark.x, mark.y - mark.error);
  const Point high = frame.At(mark.x, mark.y + mark.error);
  frame.svg().Line(low, high, stroke);
  for (const Point& end : {low, high}) {
    frame.svg().Line({end.x - kCapWidth / 2, end.y},
                     {end.x + kCapWidth / 2, end.y}, stroke);
  }
}

// Smaller marks where there are many, so that they hide less of each other.
double MarkRadius(size_t num_points) {
  if (num_points <= 150) return 4.5;
  return num_points <= 600 ? 3.5 : 2.8;
}

constexpr double kBarWidth = 0.72;  // As a share of a slot.
constexpr double kMaxBarPixels = 64;

bool IsDrawn(double part) { return std::isfinite(part) && part > 0; }

}  // namespace

std::string DrawLineChart(const LineChart& chart) {
  Legend legend;
  std::vector<std::vector<Mark>> marks;
  std::vector<double> reach;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    legend.names.push_back(chart.series[i].name);
    marks.push_back(Marks(chart, i));
    for (const Mark& mark : marks.back()) {
      reach.push_back(mark.y - mark.error);
      reach.push_back(mark.y + mark.error);
    }
  }
  PlotFrame frame(chart.text, NameAxis(chart.slots),
                  ValueAxis(PaddedRange(reach)), legend);
  for (size_t i = 0; i < marks.size(); ++i) {
    const std::string color = absl::StrCat("stroke=\"", GroupColor(i), "\"");
    std::vector<Point> line;
    for (const Mark& mark : marks[i]) {
      line.push_back(frame.At(mark.x, mark.y));
      if (mark.error > 0) {
        DrawErrorBar(frame, mark, color + " stroke-width=\"1.2\"");
      }
    }
    frame.svg().Polyline(line, "fill=\"none\" stroke-width=\"2\" " + color);
    for (const Point& point : line) {
      DrawMark(frame.svg(), point, kMarkRadius, i);
    }
  }
  return std::move(frame).Finish();
}

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

std::string DrawStackedBars(const StackedBars& chart) {
  std::vector<std::string> names;
  double highest = 0;
  for (const StackedBar& bar : chart.bars) {
    names.push_back(bar.name);
    double height = 0;
    for (size_t i = 0; i < std::min(bar.parts.size(), chart.parts.size());
         ++i) {
      if (IsDrawn(bar.parts[i])) height += bar.parts[i];
    }
    highest = std::max(highest, height);
  }
  PlotFrame frame(chart.text, NameAxis(names),
                  ValueAxis({0, highest > 0 ? highest : 1}),
                  {chart.parts, Legend::Key::kArea});
  for (size_t slot = 0; slot < chart.bars.size(); ++slot) {
    const StackedBar& bar = chart.bars[slot];
    const auto x = static_cast<double>(slot);
    const double pixels = std::min(
        kMaxBarPixels, frame.At(x + kBarWidth, 0).x - frame.At(x, 0).x);
    double height = 0;
    for (size_t i = 0; i < std::min(bar.parts.size(), chart.parts.size());
         ++i) {
      if (!IsDrawn(bar.parts[i])) continue;
      const Point low = frame.At(x, height);
      height += bar.parts[i];
      const Point high = frame.At(x, height);
      frame.svg().Rectangle(
          {high.x - pixels / 2, high.y}, pixels, low.y - high.y,
          absl::StrCat("class=\"bar\" fill=\"", GroupFill(i),
                       "\" stroke=\"#ffffff\" stroke-width=\"0.8\""));
    }
  }
  return std::move(frame).Finish();
}

}  // namespace ladder::base
