#include "experiments/diagnose/group_style.h"

#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::trainer {
namespace {

struct Color {
  int red, green, blue;
};

// Without their yellow, which is hard to see on white, and with a dark grey for
// their black, which is the text's.
constexpr Color kColors[] = {{0x00, 0x72, 0xb2}, {0xe6, 0x9f, 0x00},
                             {0x00, 0x9e, 0x73}, {0xd5, 0x5e, 0x00},
                             {0xcc, 0x79, 0xa7}, {0x56, 0xb4, 0xe9},
                             {0x55, 0x55, 0x55}};
constexpr size_t kNumColors = std::size(kColors);

// How much white is mixed in, in each round through the colours.
constexpr double kTints[] = {0, 0.45, 0.7, 0.25};

std::string Hex(const Color& color) {
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

}  // namespace

std::string GroupColor(size_t group) {
  return Hex(kColors[group % kNumColors]);
}

std::string GroupFill(size_t group) {
  const Color& color = kColors[group % kNumColors];
  const double tint = kTints[group / kNumColors % std::size(kTints)];
  const auto mixed = [tint](int channel) {
    return static_cast<int>(channel + tint * (255 - channel));
  };
  return Hex({mixed(color.red), mixed(color.green), mixed(color.blue)});
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

}  // namespace ladder::trainer
