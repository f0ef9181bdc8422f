#include "experiments/diagnose/stacked_bars.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "experiments/diagnose/group_style.h"

namespace ladder::trainer {
namespace {

constexpr double kBarWidth = 0.72;  // Of a slot.
constexpr double kMaxBarPixels = 64;

bool IsDrawn(double part) { return std::isfinite(part) && part > 0; }

}  // namespace

std::string DrawStackedBars(const StackedBars& chart) {
  std::vector<std::string> names;
  double highest = 0;
  for (const Bar& bar : chart.bars) {
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
    const Bar& bar = chart.bars[slot];
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

}  // namespace ladder::trainer
