#include "base/charts/legend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::base {
namespace {

struct PaletteColor {
  int red, green, blue;
};

// The palette lacks Okabe and Ito's yellow, which is hard to see on white, and
// has a dark grey for their black, which is the colour of the text.
constexpr PaletteColor kColors[] = {{0x00, 0x72, 0xb2}, {0xe6, 0x9f, 0x00},
                                    {0x00, 0x9e, 0x73}, {0xd5, 0x5e, 0x00},
                                    {0xcc, 0x79, 0xa7}, {0x56, 0xb4, 0xe9},
                                    {0x55, 0x55, 0x55}};
constexpr size_t kNumColors = std::size(kColors);

// The share of white that is mixed in, in each round through the colours.
constexpr double kTints[] = {0, 0.45, 0.7, 0.25};

std::string HexColor(const PaletteColor& color) {
  return absl::StrFormat("#%02x%02x%02x", color.red, color.green, color.blue);
}

std::vector<Point> Square(const Point& c, double r) {
  return {{c.x - r, c.y - r},
          {c.x + r, c.y - r},
          {c.x + r, c.y + r},
          {c.x - r, c.y + r}};
}

std::vector<Point> Triangle(const Point& c, double r) {
  return {{c.x, c.y - r}, {c.x + r, c.y + 0.8 * r}, {c.x - r, c.y + 0.8 * r}};
}

std::vector<Point> Diamond(const Point& c, double r) {
  return {{c.x, c.y - r}, {c.x + r, c.y}, {c.x, c.y + r}, {c.x - r, c.y}};
}

constexpr double kFontSize = 11;
constexpr double kLine = 17;       // A line's height where there is room,
constexpr double kMinLine = 14;    // and where there is not.
constexpr double kLegendGap = 16;  // The space between plot and legend.
constexpr double kIndent = 16;     // How far a name is right of its mark.
constexpr char kTextStyle[] =
    "class=\"legend\" font-size=\"11\" fill=\"#222222\"";

}  // namespace

std::string GroupColor(size_t group) {
  return HexColor(kColors[group % kNumColors]);
}

std::string GroupFill(size_t group) {
  const PaletteColor& color = kColors[group % kNumColors];
  const double tint = kTints[group / kNumColors % std::size(kTints)];
  const auto mixed = [tint](int channel) {
    return static_cast<int>(channel + tint * (255 - channel));
  };
  return HexColor({mixed(color.red), mixed(color.green), mixed(color.blue)});
}

void DrawMark(Svg& svg, const Point& center, double radius, size_t group) {
  const std::string attributes =
      absl::StrCat("fill=\"", GroupColor(group),
                   "\" stroke=\"#ffffff\" stroke-width=\"0.5\"");
  switch (group / kNumColors % 4) {
    case 0:
      return svg.Circle(center, radius, attributes);
    case 1:
      return svg.Polygon(Square(center, 0.88 * radius), attributes);
    case 2:
      return svg.Polygon(Triangle(center, 1.2 * radius), attributes);
    default:
      return svg.Polygon(Diamond(center, 1.25 * radius), attributes);
  }
}

double Legend::Width() const {
  if (names.size() < 2) return 0;
  double widest = 0;
  for (const std::string& name : names) {
    widest = std::max(widest, DrawnWidth(name, kFontSize));
  }
  return kLegendGap + kIndent + std::min(widest, kMaxNameWidth);
}

void Legend::Draw(Svg& svg, const Point& corner, double height) const {
  if (names.size() < 2) return;
  const auto capacity = static_cast<size_t>(height / kMinLine);
  const size_t num_shown =
      names.size() <= capacity ? names.size() : capacity - 1;
  const double line =
      std::min(kLine, height / static_cast<double>(num_shown + 1));
  Point at = {corner.x + kLegendGap, corner.y + line / 2};
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

}  // namespace ladder::base
