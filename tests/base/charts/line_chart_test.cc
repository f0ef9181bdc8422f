#include <algorithm>
#include <cmath>
#include <set>

#include "base/charts/charts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"

namespace ladder::base {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr char kBlue[] = "#0072b2";  // Of the first series.

std::vector<SvgElement> BlueLines(const std::vector<SvgElement>& elements) {
  auto lines = Select(elements, "line", "");
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const SvgElement& line) {
                               return line.attributes.at("stroke") != kBlue;
                             }),
              lines.end());
  return lines;
}

TEST(LineChartTest, PutsMarksAtTheirSlotsAndValues) {
  const auto elements = ParseSvg(DrawLineChart(
      {.slots = {"1", "2", "3"}, .series = {{.values = {50, 53.5, 52}}}}));

  // The slots' names are numbers here, so that the ruler can read them.
  const TickRuler ruler(elements);
  const auto circles = Select(elements, "circle", "");
  ASSERT_THAT(circles, SizeIs(3));
  const double values[] = {50, 53.5, 52};
  for (size_t i = 0; i < 3; ++i) {
    const Point expected = ruler.At(static_cast<double>(i + 1), values[i]);
    EXPECT_NEAR(circles[i].Number("cx"), expected.x, 0.05);
    EXPECT_NEAR(circles[i].Number("cy"), expected.y, 0.05);
  }
  EXPECT_THAT(Select(elements, "polyline", ""), SizeIs(1));
}

TEST(LineChartTest, DrawsErrorBarsOfTheirLength) {
  const auto elements = ParseSvg(
      DrawLineChart({.slots = {"1", "2"},
                     .series = {{.values = {50, 60}, .errors = {2, 0}}}}));

  const TickRuler ruler(elements);
  const auto bars = BlueLines(elements);
  ASSERT_THAT(bars, SizeIs(3));  // One bar with two caps.
  EXPECT_NEAR(bars[0].Number("y1"), ruler.At(1, 48).y, 0.05);
  EXPECT_NEAR(bars[0].Number("y2"), ruler.At(1, 52).y, 0.05);
  EXPECT_NEAR(bars[0].Number("x1"), ruler.At(1, 48).x, 0.05);
}

TEST(LineChartTest, KeepsSeriesApartSoThatErrorBarsShow) {
  const LineSeries series = {.name = "s", .values = {5, 5}, .errors = {1, 1}};
  const auto elements = ParseSvg(
      DrawLineChart({.slots = {"a", "all"}, .series = {series, series}}));

  EXPECT_THAT(Texts(Select(elements, "text", "x-tick")),
              ElementsAre("a", "all"));
  const auto circles = Select(elements, "circle", "");
  ASSERT_THAT(circles, SizeIs(6));  // Two of them in the legend.
  std::set<double> x;
  for (const auto& circle : circles) x.insert(circle.Number("cx"));
  EXPECT_THAT(x, SizeIs(5));  // That of the legend besides.
}

TEST(LineChartTest, LeavesOutValuesThatAreNotFinite) {
  const auto elements = ParseSvg(DrawLineChart(
      {.slots = {"1", "2", "3"}, .series = {{.values = {1, NAN, 2}}}}));

  EXPECT_THAT(Select(elements, "circle", ""), SizeIs(2));
}

}  // namespace
}  // namespace ladder::base
