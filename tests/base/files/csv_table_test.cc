#include "base/files/csv_table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"

namespace ladder::base {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CsvTableTest, FindsColumnsByName) {
  const DataFolder folder;
  CsvTable table =
      CsvTable::Open(folder.Write("t.csv", ",b,a\n0,1,2\n")).value();

  ASSERT_TRUE(table.Next().value());
  EXPECT_EQ(table.field(table.RequireColumn("a").value()), "2");
  EXPECT_EQ(table.field(table.RequireColumn("b").value()), "1");
  EXPECT_EQ(table.place(), (folder / "t.csv").string() + ":2");
  EXPECT_FALSE(table.Next().value());
}

TEST(CsvTableTest, NamesTheMissingColumnAndThoseThereAre) {
  const DataFolder folder;
  const CsvTable table = CsvTable::Open(folder.Write("t.csv", "a,b\n")).value();

  const auto column = table.RequireColumns({"a", "label"});

  EXPECT_EQ(column.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(column.status().message()),
              AllOf(HasSubstr("t.csv"), HasSubstr("\"label\""),
                    HasSubstr("\"a\", \"b\"")));
}

TEST(CsvTableTest, RejectsAFileWithoutHeader) {
  const DataFolder folder;

  const auto table = CsvTable::Open(folder.Write("t.csv", "\n"));

  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(table.status().message()),
              AllOf(HasSubstr("t.csv"), HasSubstr("columns' names")));
}

TEST(CsvTableTest, RejectsTwoColumnsOfOneName) {
  const DataFolder folder;

  const auto table = CsvTable::Open(folder.Write("t.csv", "a,,,a\n"));

  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(table.status().message()),
              AllOf(HasSubstr("t.csv:1"), HasSubstr("\"a\", found two")));
}

}  // namespace
}  // namespace ladder::base
