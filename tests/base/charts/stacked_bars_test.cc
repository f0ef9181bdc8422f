#include "absl/strings/str_cat.h"
#include "base/charts/charts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/base/charts/svg_elements.h"

namespace ladder::base {
namespace {

using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;

TEST(StackedBarsTest, PutsPartsUponEachOther) {
  const auto elements = ParseSvg(DrawStackedBars(
      {.parts = {"a", "b", "c"},
       .bars = {{"1", {0.5, 0.2, 0.3}}, {"2", {0, 0.4, 0.6}}}}));

  const TickRuler ruler(elements);
  const auto bars = Select(elements, "rect", "bar");
  ASSERT_THAT(bars, SizeIs(5));  // A part of nothing is not drawn.
  const double bottoms[] = {0, 0.5, 0.7, 0, 0.4};
  const double tops[] = {0.5, 0.7, 1, 0.4, 1};
  for (size_t i = 0; i < bars.size(); ++i) {
    const double y = bars[i].Number("y");
    EXPECT_NEAR(y, ruler.At(1, tops[i]).y, 0.05) << i;
    EXPECT_NEAR(y + bars[i].Number("height"), ruler.At(1, bottoms[i]).y, 0.05);
    const double middle = bars[i].Number("x") + bars[i].Number("width") / 2;
    EXPECT_NEAR(middle, ruler.At(i < 3 ? 1 : 2, 0).x, 0.05);
  }
  // The same part has the same colour in every bar.
  EXPECT_EQ(bars[1].attributes.at("fill"), bars[3].attributes.at("fill"));
  EXPECT_NE(bars[0].attributes.at("fill"), bars[1].attributes.at("fill"));
  EXPECT_THAT(Texts(Select(elements, "text", "legend")),
              ElementsAre("a", "b", "c"));
}

TEST(StackedBarsTest, SlantsNamesThatDoNotFitSideBySide) {
  StackedBars chart{.parts = {"a"}};
  for (int i = 0; i < 8; ++i) {
    chart.bars.push_back({absl::StrCat("r", i), {1}});
  }
  for (const auto& tick :
       Select(ParseSvg(DrawStackedBars(chart)), "text", "x-tick")) {
    EXPECT_FALSE(tick.attributes.contains("transform"));
  }

  for (StackedBar& bar : chart.bars) bar.name = "a region of a long name";
  const auto ticks = Select(ParseSvg(DrawStackedBars(chart)), "text", "x-tick");

  EXPECT_THAT(ticks, SizeIs(8));
  for (const auto& tick : ticks) {
    EXPECT_TRUE(tick.attributes.contains("transform"));
  }
}

TEST(StackedBarsTest, NamesOnlySomeOfManyBars) {
  StackedBars chart{.parts = {"a"}};
  for (int i = 0; i < 300; ++i) {
    chart.bars.push_back({absl::StrCat("location ", i), {1}});
  }

  const auto elements = ParseSvg(DrawStackedBars(chart));

  EXPECT_THAT(Select(elements, "rect", "bar"), SizeIs(300));
  const auto ticks = Select(elements, "text", "x-tick");
  ASSERT_GE(ticks.size(), 10u);
  for (size_t i = 1; i < ticks.size(); ++i) {
    EXPECT_GE(ticks[i].Number("x") - ticks[i - 1].Number("x"), 14);
  }
}

TEST(StackedBarsTest, DrawsNothingAsWell) {
  EXPECT_THAT(ParseSvg(DrawStackedBars({})), Not(SizeIs(0)));
}

}  // namespace
}  // namespace ladder::base
