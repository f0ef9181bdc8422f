#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/charts/charts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"

namespace ladder::base {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ScatterPlotTest, PutsPointsWhereTheTicksSay) {
  const std::vector<Point> points = {
      {0.2, -3}, {0.35, 4}, {0.5, 11.5}, {1.1, 0}};
  const auto elements =
      ParseSvg(DrawScatterPlot({.groups = {{.name = "g", .points = points}}}));

  const TickRuler ruler(elements);
  const auto circles = Select(elements, "circle", "");
  ASSERT_THAT(circles, SizeIs(points.size()));
  for (size_t i = 0; i < points.size(); ++i) {
    const Point expected = ruler.At(points[i].x, points[i].y);
    EXPECT_NEAR(circles[i].Number("cx"), expected.x, 0.05);
    EXPECT_NEAR(circles[i].Number("cy"), expected.y, 0.05);
  }
  // Up is up.
  EXPECT_LT(circles[2].Number("cy"), circles[0].Number("cy"));
}

TEST(ScatterPlotTest, WritesTitleAndAxes) {
  const auto elements = ParseSvg(
      DrawScatterPlot({.text = {"A < B & C", "the x", "the y"},
                       .groups = {{.name = "g", .points = {{0, 0}}}}}));

  const auto texts = Texts(Select(elements, "text", ""));
  EXPECT_THAT(texts, Contains("A < B & C"));
  EXPECT_THAT(texts, Contains("the x"));
  EXPECT_THAT(texts, Contains("the y"));
}

TEST(ScatterPlotTest, NamesGroupsInALegendOnceThereAreTwo) {
  ScatterPlot plot{.groups = {{.name = "one", .points = {{0, 0}}}}};
  EXPECT_THAT(Select(ParseSvg(DrawScatterPlot(plot)), "text", "legend"),
              IsEmpty());

  plot.groups.push_back({.name = "<two>", .points = {{1, 1}}});
  const auto elements = ParseSvg(DrawScatterPlot(plot));

  EXPECT_THAT(Texts(Select(elements, "text", "legend")),
              ElementsAre("one", "<two>"));
  // A mark of each in the plot and in the legend, in the group's colour.
  std::multiset<std::string> fills;
  for (const auto& circle : Select(elements, "circle", "")) {
    fills.insert(circle.attributes.at("fill"));
  }
  EXPECT_EQ(fills, (std::multiset<std::string>{"#0072b2", "#0072b2", "#e69f00",
                                               "#e69f00"}));
}

TEST(ScatterPlotTest, GivesManyGroupsMarksOfTheirOwn) {
  ScatterPlot plot;
  for (int i = 0; i < 24; ++i) {
    plot.groups.push_back({.name = absl::StrCat(i), .points = {{0, 0}}});
  }

  // All are at one place, so marks differ by shape and colour alone.
  std::vector<std::string> marks;
  for (SvgElement& mark : ParseSvg(DrawScatterPlot(plot))) {
    if (mark.name != "circle" && mark.name != "polygon") continue;
    marks.push_back(mark.attributes["points"] + mark.attributes["fill"]);
  }
  ASSERT_THAT(marks, SizeIs(48));  // First those of the legend.
  EXPECT_THAT(std::set<std::string>(marks.begin() + 24, marks.end()),
              SizeIs(24));
}

TEST(ScatterPlotTest, KeepsEverythingInThePictureHoweverManyGroups) {
  ScatterPlot plot{.text = {std::string(300, 'W'), "x", "y"}};
  for (int i = 0; i < 100; ++i) {
    plot.groups.push_back({.name = absl::StrCat("a group of a long name, ", i),
                           .points = {{1e-7 * i, 1e7 * i}}});
  }

  const auto elements = ParseSvg(DrawScatterPlot(plot));

  const auto legend = Select(elements, "text", "legend");
  ASSERT_FALSE(legend.empty());
  EXPECT_EQ(legend.back().text,
            absl::StrCat("and ", 101 - legend.size(), " more"));
  for (const auto& text : Select(elements, "text", "")) {
    EXPECT_GE(text.Number("x"), 0);
    EXPECT_LE(text.Number("x"), 640);
    EXPECT_GE(text.Number("y"), 0);
    EXPECT_LE(text.Number("y"), 420);
  }
}

TEST(ScatterPlotTest, LeavesOutWhatIsNotFinite) {
  const auto elements = ParseSvg(DrawScatterPlot(
      {.groups = {{.points = {{0, 0}, {std::nan(""), 1}, {1, INFINITY}}}}}));

  EXPECT_THAT(Select(elements, "circle", ""), SizeIs(1));
}

TEST(ScatterPlotTest, DrawsNothingAsWell) {
  EXPECT_THAT(Select(ParseSvg(DrawScatterPlot({})), "circle", ""), IsEmpty());
}

}  // namespace
}  // namespace ladder::base
