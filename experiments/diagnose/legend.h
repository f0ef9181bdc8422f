#ifndef LADDER_EXPERIMENTS_DIAGNOSE_LEGEND_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_LEGEND_H_

#include <string>
#include <vector>

#include "experiments/diagnose/point.h"
#include "experiments/diagnose/svg.h"

namespace ladder::trainer {

// Which colour and mark is whose, at the right of a plot: group i of
// group_style.h is `names[i]`. Takes no room if there is nothing to tell apart.
struct Legend {
  enum class Key { kMark, kArea };

  std::vector<std::string> names = {};
  Key key = Key::kMark;

  double Width() const;

  // Draws below `corner`, in at most `height` pixels; where the names do not
  // fit, the last line says how many are missing.
  void Draw(Svg& svg, const Point& corner, double height) const;
};

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_LEGEND_H_
