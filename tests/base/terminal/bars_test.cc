#include "base/terminal/bars.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ladder::base {
namespace {

TEST(BarTest, GrowsInEighthsOfAColumn) {
  EXPECT_EQ(Bar(0, 4, /*utf8=*/true), "");
  EXPECT_EQ(Bar(1.0 / 32, 4, /*utf8=*/true), "▏");
  EXPECT_EQ(Bar(7.0 / 32, 4, /*utf8=*/true), "▉");
  EXPECT_EQ(Bar(0.25, 4, /*utf8=*/true), "█");
  EXPECT_EQ(Bar(0.625, 4, /*utf8=*/true), "██▌");
  EXPECT_EQ(Bar(1, 4, /*utf8=*/true), "████");
}

TEST(BarTest, StaysWithinItsWidth) {
  EXPECT_EQ(Bar(7, 4, /*utf8=*/true), "████");
  EXPECT_EQ(Bar(-1, 4, /*utf8=*/true), "");
  EXPECT_EQ(Bar(std::nan(""), 4, /*utf8=*/true), "");
}

TEST(BarTest, IsAsciiWithoutUtf8) {
  EXPECT_EQ(Bar(0.6, 5, /*utf8=*/false), "###");
}

TEST(ShareBarsTest, ShowsTheLargestFirst) {
  EXPECT_EQ(ShareBars({{"a", 0.25}, {"b", 0.5}, {"c", 0.125}, {"d", 0.125}},
                      /*max_shown=*/3, /*bar_width=*/8, /*utf8=*/true),
            "b ████ 50 %  a ██ 25 %  c █ 12 %");
}

TEST(ShareBarsTest, LeavesOutWhatIsNearlyNothing) {
  EXPECT_EQ(ShareBars({{"a", 0.996}, {"b", 0.004}, {"c", 0}},
                      /*max_shown=*/3, /*bar_width=*/2, /*utf8=*/false),
            "a ## 100 %");
}

TEST(ShareBarsTest, NamesCannotSteerTheTerminal) {
  EXPECT_EQ(ShareBars({{"\x1b[31m", 1}}, /*max_shown=*/1, /*bar_width=*/1,
                      /*utf8=*/true),
            "?[31m █ 100 %");
}

}  // namespace
}  // namespace ladder::base
