#ifndef LADDER_BASE_CHARTS_PLOT_FRAME_H_
#define LADDER_BASE_CHARTS_PLOT_FRAME_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/charts/svg.h"

namespace ladder::base {

// The groups of a plot differ by colour and shape. Colours are those of Okabe
// and Ito (2008), which colour-blind people tell apart; where they begin anew,
// marks get another shape and areas another tint.

// The colour of a group's lines and marks, such as "#0072b2".
std::string GroupColor(size_t group);

// The colour of a group's areas: the same, lighter for later groups.
std::string GroupFill(size_t group);

// Draws the mark of a group: a circle, square, triangle or diamond of about
// this radius.
void DrawMark(Svg& svg, const Point& center, double radius, size_t group);

// Says at the right of a plot which colour and mark is whose: group i is
// `names[i]`. Takes no room if there are fewer than two groups.
struct Legend {
  enum class Key { kMark, kArea };

  std::vector<std::string> names = {};
  Key key = Key::kMark;

  double Width() const;

  // Draws below `corner`, in at most `height` pixels; where the names do not
  // fit, the last line says how many are missing.
  void Draw(Svg& svg, const Point& corner, double height) const;
};

struct Range {
  double low = 0;
  double high = 1;
};

// An axis shows this for these values: all that are finite and some room on
// both sides. It is never of length zero, and around 0 if there is no value.
Range PaddedRange(std::span<const double> values);

struct Tick {
  double value = 0;
  std::string label = {};
};

// All multiples within `range`, whose length is positive, of the smallest 1, 2
// or 5 times a power of ten that has at most `max_count` (at least 2) of them.
std::vector<Tick> RoundTicks(const Range& range, int max_count);

// The words around a plot. All text of a plot is UTF-8 without control
// characters; what is too long for its place is shortened.
struct PlotText {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
};

struct Axis {
  Range range = {};
  std::vector<Tick> ticks = {};
};

// Round ticks; few enough to be readable.
Axis ValueAxis(const Range& range);

// Slots of equal width, one for each of `names`; slot i is around i.
Axis NameAxis(const std::vector<std::string>& names);

// All of a plot but its marks: title, axes with ticks, legend. 640 x 420.
//
// Marks are drawn on svg(), at what At() gives. One caller at a time.
class PlotFrame {
 public:
  PlotFrame(const PlotText& text, const Axis& x, const Axis& y,
            const Legend& legend);

  // The pixel of a value.
  Point At(double x, double y) const;
  Svg& svg() { return svg_; }

  std::string Finish() && { return std::move(svg_).Finish(); }

 private:
  struct Area {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
  };

  static Area LayOut(const Axis& x, const Axis& y, const Legend& legend);
  void DrawXAxis(const Axis& axis);
  void DrawYAxis(const Axis& axis);
  void DrawText(const PlotText& text);

  Area area_;
  Range x_;
  Range y_;
  Svg svg_;
};

}  // namespace ladder::base

#endif  // LADDER_BASE_CHARTS_PLOT_FRAME_H_
