#include "experiments/diagnose/legend.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "experiments/diagnose/group_style.h"

namespace ladder::trainer {
namespace {

constexpr double kFontSize = 11;
constexpr double kLine = 17;     // From name to name where there is room,
constexpr double kMinLine = 14;  // and where there is not.
constexpr double kGap = 16;      // Between plot and legend.
constexpr double kIndent = 16;   // Of a name, behind its mark.
constexpr char kTextStyle[] =
    "class=\"legend\" font-size=\"11\" fill=\"#222222\"";

}  // namespace

double Legend::Width() const {
  if (names.size() < 2) return 0;
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, TextWidth(name, kFontSize));
  }
  return kGap + kIndent + std::min(widest, kMaxNameWidth);
}

void Legend::Draw(Svg& svg, const Point& corner, double height) const {
  if (names.size() < 2) return;
  const auto capacity = static_cast<size_t>(height / kMinLine);
  const size_t num_shown =
      names.size() <= capacity ? names.size() : capacity - 1;
  const double line =
      std::min(kLine, height / static_cast<double>(num_shown + 1));
  Point at = {corner.x + kGap, corner.y + line / 2};
  for (size_t i = 0; i < num_shown; ++i, at.y += line) {
    if (key == Key::kMark) {
      DrawMark(svg, {at.x + 5, at.y}, /*radius=*/4.5, i);
    } else {
      svg.Rectangle({at.x, at.y - 5}, 10, 10,
                    absl::StrCat("fill=\"", GroupFill(i), "\""));
    }
    svg.Text({at.x + kIndent, at.y + kFontSize / 3},
             Shortened(names[i], kMaxNameWidth, kFontSize), kTextStyle);
  }
  if (num_shown < names.size()) {
    svg.Text({at.x + kIndent, at.y + kFontSize / 3},
             absl::StrCat("and ", names.size() - num_shown, " more"),
             kTextStyle);
  }
}

}  // namespace ladder::trainer
