#include "experiments/diagnose/line_chart.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "experiments/diagnose/group_style.h"

namespace ladder::trainer {
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

}  // namespace ladder::trainer
