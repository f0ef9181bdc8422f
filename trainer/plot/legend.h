#ifndef LADDER_TRAINER_PLOT_LEGEND_H_
#define LADDER_TRAINER_PLOT_LEGEND_H_

#include <string>
#include <vector>

#include "trainer/plot/point.h"
#include "trainer/plot/svg.h"

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

#endif  // LADDER_TRAINER_PLOT_LEGEND_H_
