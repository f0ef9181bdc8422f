#ifndef LADDER_TESTS_BASE_CHARTS_SVG_ELEMENTS_H_
#define LADDER_TESTS_BASE_CHARTS_SVG_ELEMENTS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/charts/svg.h"

namespace ladder::base {

// An element of an SVG file, without those within it.
struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // Unescaped.

  double Number(const std::string& attribute) const;
  bool Is(absl::string_view element, absl::string_view css_class) const;
};

// The elements of `svg` in their order. Empty, and the test fails, unless it is
// well-formed: one root, tags in pairs, quoted attributes without repetition,
// and no bare <, > or & in text and attributes.
std::vector<SvgElement> ParseSvg(absl::string_view svg);

// The elements of this name and class ("" for any).
std::vector<SvgElement> Select(const std::vector<SvgElement>& elements,
                               absl::string_view name,
                               absl::string_view css_class);

// The texts of `elements`.
std::vector<std::string> Texts(const std::vector<SvgElement>& elements);

// Where a value is, to the pixel, by the labels of the axes' ticks alone. The
// test fails if an axis has fewer than two ticks.
class TickRuler {
 public:
  explicit TickRuler(const std::vector<SvgElement>& elements);
  Point At(double x, double y) const { return {x_.At(x), y_.At(y)}; }

 private:
  struct Line {
    double offset = 0;
    double slope = 0;
    double At(double value) const { return offset + slope * value; }
  };
  static Line Through(const std::vector<SvgElement>& ticks, const char* axis);

  Line x_;
  Line y_;
};

}  // namespace ladder::base

#endif  // LADDER_TESTS_BASE_CHARTS_SVG_ELEMENTS_H_
