#ifndef LADDER_BASE_CHARTS_SVG_H_
#define LADDER_BASE_CHARTS_SVG_H_

#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace ladder::base {

struct Point {
  double x = 0;
  double y = 0;
};

// A picture in the making: shapes on white, each drawn over those before it.
//
// Positions are pixels from the upper left corner. `attributes` are written as
// they are: `fill="none" stroke="#888888"`. One caller at a time.
class Svg {
 public:
  Svg(double width, double height);

  void Line(const Point& from, const Point& to, absl::string_view attributes);
  void Rectangle(const Point& corner, double width, double height,
                 absl::string_view attributes);
  void Circle(const Point& center, double radius, absl::string_view attributes);
  void Polygon(std::span<const Point> corners, absl::string_view attributes);
  void Polyline(std::span<const Point> points, absl::string_view attributes);
  // `text` is UTF-8 without control characters; it may hold <, & and quotes.
  void Text(const Point& at, absl::string_view text,
            absl::string_view attributes);

  // The whole file.
  std::string Finish() &&;

 private:
  std::string body_;
};

// About how wide `text` is, in a usual sans-serif.
double DrawnWidth(absl::string_view text, double font_size);

// Names beside axes and in legends are shortened to this width.
inline constexpr double kMaxNameWidth = 130;

// `text`, cut and ended by an ellipsis if it is wider than `width`.
std::string Shortened(absl::string_view text, double width, double font_size);

}  // namespace ladder::base

#endif  // LADDER_BASE_CHARTS_SVG_H_
