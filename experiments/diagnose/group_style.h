#ifndef LADDER_EXPERIMENTS_DIAGNOSE_GROUP_STYLE_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_GROUP_STYLE_H_

#include <cstddef>
#include <string>

#include "experiments/diagnose/point.h"
#include "experiments/diagnose/svg.h"

namespace ladder::trainer {

// How the groups of a plot differ from each other. Colours are those of Okabe
// and Ito (2008), which colour-blind people tell apart; where they begin anew,
// marks get another shape and areas another tint.

// "#0072b2"; what lines and marks have.
std::string GroupColor(size_t group);

// The same, lighter for later groups; what areas have.
std::string GroupFill(size_t group);

// Draws the mark of a group: a circle, square, triangle or diamond of about
// this radius.
void DrawMark(Svg& svg, const Point& center, double radius, size_t group);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_GROUP_STYLE_H_
