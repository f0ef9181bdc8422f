#include "base/charts/svg.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/text/text.h"

namespace ladder::base {
namespace {

constexpr double kMeanCharacterWidth = 0.56;  // As a share of the font's size.

std::string Number(double pixels) { return absl::StrFormat("%.2f", pixels); }

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

std::string PointList(std::span<const Point> points) {
  return absl::StrJoin(points, " ", [](std::string* out, const Point& point) {
    absl::StrAppend(out, Number(point.x), ",", Number(point.y));
  });
}

}  // namespace

Svg::Svg(double width, double height)
    : body_(absl::StrFormat(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
          "height=\"%g\" viewBox=\"0 0 %g %g\" font-family=\"Helvetica, Arial, "
          "'DejaVu Sans', sans-serif\">\n",
          width, height, width, height)) {
  Rectangle({0, 0}, width, height, "fill=\"#ffffff\"");
}

void Svg::Line(const Point& from, const Point& to,
               absl::string_view attributes) {
  absl::StrAppend(&body_, "<line x1=\"", Number(from.x), "\" y1=\"",
                  Number(from.y), "\" x2=\"", Number(to.x), "\" y2=\"",
                  Number(to.y), "\" ", attributes, "/>\n");
}

void Svg::Rectangle(const Point& corner, double width, double height,
                    absl::string_view attributes) {
  absl::StrAppend(&body_, "<rect x=\"", Number(corner.x), "\" y=\"",
                  Number(corner.y), "\" width=\"", Number(width),
                  "\" height=\"", Number(height), "\" ", attributes, "/>\n");
}

void Svg::Circle(const Point& center, double radius,
                 absl::string_view attributes) {
  absl::StrAppend(&body_, "<circle cx=\"", Number(center.x), "\" cy=\"",
                  Number(center.y), "\" r=\"", Number(radius), "\" ",
                  attributes, "/>\n");
}

void Svg::Polygon(std::span<const Point> corners,
                  absl::string_view attributes) {
  absl::StrAppend(&body_, "<polygon points=\"", PointList(corners), "\" ",
                  attributes, "/>\n");
}

void Svg::Polyline(std::span<const Point> points,
                   absl::string_view attributes) {
  absl::StrAppend(&body_, "<polyline points=\"", PointList(points), "\" ",
                  attributes, "/>\n");
}

void Svg::Text(const Point& at, absl::string_view text,
               absl::string_view attributes) {
  absl::StrAppend(&body_, "<text x=\"", Number(at.x), "\" y=\"", Number(at.y),
                  "\" ", attributes, ">", Escaped(text), "</text>\n");
}

std::string Svg::Finish() && {
  absl::StrAppend(&body_, "</svg>\n");
  return std::move(body_);
}

double DrawnWidth(absl::string_view text, double font_size) {
  return static_cast<double>(TextWidth(text)) * kMeanCharacterWidth * font_size;
}

std::string Shortened(absl::string_view text, double width, double font_size) {
  if (DrawnWidth(text, font_size) <= width) return std::string(text);
  const double columns = width / (kMeanCharacterWidth * font_size);
  return CutText(text, static_cast<size_t>(std::max(1.0, columns)),
                 /*utf8=*/true);
}

}  // namespace ladder::base
