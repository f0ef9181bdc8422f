#include "base/terminal/table.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/text/text.h"
#include "gtest/gtest.h"

namespace ladder::base {
namespace {

Table Groups() {
  Table table({{"group", ColumnKind::kText},
               {"n", ColumnKind::kNumber},
               {"weights", ColumnKind::kText},
               {"coverage", ColumnKind::kFixed}});
  table.AddRow({"location 17", "1,200", "a ███ 60 %  b ██ 40 %",
                Cell("IN", Style::kGood)});
  table.AddRow({"b", "8", "c █████ 100 %", Cell("OUT", Style::kBad)});
  return table;
}

TEST(TableTest, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(Groups().Render({}),
            "group            n  weights                coverage\n"
            "location 17  1,200  a ███ 60 %  b ██ 40 %  IN\n"
            "b                8  c █████ 100 %          OUT\n");
}

TEST(TableTest, CutsTheWidestTextToFit) {
  EXPECT_EQ(Groups().Render({.columns = 40}),
            "group           n  weights      coverage\n"
            "location …  1,200  a ███ 60 %…  IN\n"
            "b               8  c █████ 10…  OUT\n");
}

TEST(TableTest, NoLineIsWiderThanTheTerminal) {
  for (size_t columns = 1; columns < 60; ++columns) {
    const std::string text = Groups().Render({.columns = columns});
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      EXPECT_LE(TextWidth(line), columns) << line;
    }
  }
}

TEST(TableTest, ColoursHeaderAndCellsOnlyWhereTheyAreWelcome) {
  Table table({{"coverage", ColumnKind::kFixed}, {"n", ColumnKind::kNumber}});
  table.AddRow({Cell("IN", Style::kGood), "3"});

  EXPECT_EQ(table.Render({}), "coverage  n\nIN        3\n");
  EXPECT_EQ(table.Render({.colour = true}),
            "\x1b[1mcoverage\x1b[0m  \x1b[1mn\x1b[0m\n"
            "\x1b[1;32mIN\x1b[0m        3\n");
}

TEST(TableTest, CellsCannotSteerTheTerminal) {
  Table table({{"name"}});
  table.AddRow({"\x1b[2J"});

  EXPECT_EQ(table.Render({}), "name\n?[2J\n");
}

TEST(TableTest, FillsUpShortRows) {
  Table table({{"a"}, {"b"}, {"c"}});
  table.AddRow({"1"});
  table.AddRow({"", "", "3", "4"});

  EXPECT_EQ(table.Render({}), "a  b  c\n1\n      3\n");
}

TEST(TableTest, HasNoHeaderWithoutTitles) {
  Table table(std::vector<Column>(3));
  table.AddRow({"A", "LONG", "C"});
  table.AddRow({"value", "1", "x"});
  table.AddRow({"alone"});

  EXPECT_EQ(table.Render({}),
            "A      LONG  C\n"
            "value  1     x\n"
            "alone\n");
}

}  // namespace
}  // namespace ladder::base
