#ifndef LADDER_BASE_CHARTS_LEGEND_H_
#define LADDER_BASE_CHARTS_LEGEND_H_

#include <cstddef>
#include <string>
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

}  // namespace ladder::base

#endif  // LADDER_BASE_CHARTS_LEGEND_H_
