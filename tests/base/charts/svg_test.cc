#include "base/charts/svg.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"

namespace ladder::base {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(SvgTest, WritesShapesWhereTheyAreAskedFor) {
  Svg svg(200, 100);
  svg.Line({1, 2}, {3.5, 4.25}, "stroke=\"red\"");
  svg.Circle({10, 20}, 3, "fill=\"blue\"");
  svg.Polygon(std::vector<Point>{{0, 0}, {1, 0}, {0, 1}}, "fill=\"none\"");

  const auto elements = ParseSvg(std::move(svg).Finish());

  ASSERT_THAT(elements, SizeIs(5));  // The root and a background besides.
  EXPECT_EQ(elements[0].Number("width"), 200);
  EXPECT_EQ(elements[0].Number("height"), 100);
  EXPECT_TRUE(elements[2].Is("line", ""));
  EXPECT_EQ(elements[2].Number("x2"), 3.5);
  EXPECT_EQ(elements[2].Number("y2"), 4.25);
  EXPECT_EQ(elements[2].attributes.at("stroke"), "red");
  EXPECT_EQ(elements[3].Number("cx"), 10);
  EXPECT_EQ(elements[3].Number("r"), 3);
  EXPECT_EQ(elements[4].attributes.at("points"),
            "0.00,0.00 1.00,0.00 0.00,1.00");
}

TEST(SvgTest, KeepsTextThatLooksLikeMarkup) {
  const std::string text = "</text> & <b>\"Réunion\"</b> &amp; 'x'";
  Svg svg(10, 10);
  svg.Text({0, 0}, text, "fill=\"black\"");

  const auto elements = ParseSvg(std::move(svg).Finish());

  EXPECT_THAT(Texts(Select(elements, "text", "")), ElementsAre(text));
}

TEST(SvgTest, ShortensOnlyWhatIsTooWide) {
  EXPECT_EQ(Shortened("short", /*width=*/100, /*font_size=*/10), "short");
  const std::string cut = Shortened("a very long name", 40, 10);
  EXPECT_EQ(cut, "a very…");
  EXPECT_LE(DrawnWidth(cut, 10), 40);
}

TEST(SvgTest, CutsBetweenCharactersNotWithinThem) {
  // Every character has two bytes.
  EXPECT_EQ(Shortened("éééééééé", /*width=*/20, /*font_size=*/10), "éé…");
}

}  // namespace
}  // namespace ladder::base
