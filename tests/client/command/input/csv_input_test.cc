#include <string>

#include "client/command/input/input.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/input/read_group.h"
#include "tests/data_folder.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Message(const absl::StatusOr<Input>& input) {
  return std::string(input.status().message());
}

TEST(CsvInputTest, GroupsPicturesByAColumnInTheOrderOfRows) {
  const DataFolder folder;
  const auto csv = folder.Write("lists/all.csv",
                                "filename,location,split\r\n"
                                "\"z, 1.jpg\",20,test\r\n"
                                "y.jpg,3,train\r\n"
                                "../x.jpg,3,test\r\n"
                                "w.jpg,20,test\r\n");
  folder.Write("lists/z, 1.jpg", "z");
  folder.Write("lists/w.jpg", "w");
  folder.Write("x.jpg", "x");

  const auto input = OpenInput(
      {.path = csv, .group_by = "location", .where = {{"split", "test"}}});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->has_pictures());
  EXPECT_THAT(GroupNames(*input), ElementsAre("20", "3"));
  const ReadSamples twenty = ReadGroup(*input, 0);
  EXPECT_THAT(twenty.pictures, ElementsAre("z", "w"));
  EXPECT_THAT(twenty.ids, ElementsAre("z, 1.jpg", "w.jpg"));
  EXPECT_THAT(ReadGroup(*input, 1).pictures, ElementsAre("x"));
}

TEST(CsvInputTest, TakesRootPathsAndIdsFromWhereTheOptionsSay) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "key,file,path\nk1,a.jpg,nowhere\n");
  folder.Write("pictures/a.jpg", "a");

  const auto input = OpenInput({.path = csv,
                                .image_root = folder / "pictures",
                                .path_column = "file",
                                .id_column = "key"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("all"));
  EXPECT_THAT(ReadGroup(*input, 0).ids, ElementsAre("k1"));
  EXPECT_THAT(ReadGroup(*input, 0).pictures, ElementsAre("a"));
}

TEST(CsvInputTest, GroupsPicturesByFolderOrRegularExpressionWithoutAColumn) {
  const DataFolder folder;
  const auto csv = folder.Write(
      "all.csv", "path\nnorth/1.jpg\nsouth/1.jpg\n./north/2.jpg\n");

  const auto by_folder = OpenInput({.path = csv});
  const auto by_regex = OpenInput({.path = csv, .group_regex = "([0-9])[.]"});

  ASSERT_TRUE(by_folder.ok()) << by_folder.status();
  EXPECT_THAT(GroupNames(*by_folder), ElementsAre("north", "south"));
  EXPECT_EQ(by_folder->num_samples(0), 2u);
  ASSERT_TRUE(by_regex.ok()) << by_regex.status();
  EXPECT_THAT(GroupNames(*by_regex), ElementsAre("1", "2"));
}

TEST(CsvInputTest, ReadsColumnsOfNumbers) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv",
                                "x1,region,x2,y\n"
                                "1,north,2,9\n"
                                "-3.5,south,4e-3,9\n"
                                "5,north,6,9\n");

  const auto by_prefix =
      OpenInput({.path = csv, .group_by = "region", .features = {"x*"}});
  const auto by_list =
      OpenInput({.path = csv, .group_by = "region", .features = {"x2", "x1"}});
  const auto rest = OpenInput({.path = csv, .group_by = "region"});

  ASSERT_TRUE(by_prefix.ok()) << by_prefix.status();
  EXPECT_FALSE(by_prefix->has_pictures());
  EXPECT_THAT(GroupNames(*by_prefix), ElementsAre("north", "south"));
  const ReadSamples north = ReadGroup(*by_prefix, 0);
  EXPECT_THAT(north.numbers, ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(north.ids, ElementsAre("0", "2"));
  EXPECT_THAT(ReadGroup(*by_prefix, 1).numbers, ElementsAre(-3.5f, 4e-3f));
  ASSERT_TRUE(by_list.ok()) << by_list.status();
  EXPECT_THAT(ReadGroup(*by_list, 0).numbers, ElementsAre(2, 1, 6, 5));
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT(ReadGroup(*rest, 0).numbers, ElementsAre(1, 2, 9, 5, 6, 9));
}

TEST(CsvInputTest, NamesGroupLineAndColumnOfABadNumber) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "g,x\na,1\na,nan\na,3\n");

  const auto strict = OpenInput({.path = csv, .group_by = "g"});
  const auto lenient =
      OpenInput({.path = csv, .group_by = "g", .skip_unreadable = true});

  ASSERT_TRUE(strict.ok()) << strict.status();
  EXPECT_THAT(std::string(ReadGroup(*strict, 0).status.message()),
              AllOf(HasSubstr("group \"a\""), HasSubstr("all.csv:3"),
                    HasSubstr("x: expected a finite number, found \"nan\""),
                    HasSubstr("--skip-unreadable")));
  ASSERT_TRUE(lenient.ok()) << lenient.status();
  const ReadSamples samples = ReadGroup(*lenient, 0);
  EXPECT_TRUE(samples.status.ok()) << samples.status;
  EXPECT_THAT(samples.numbers, ElementsAre(1, 3));
  EXPECT_THAT(samples.ids, ElementsAre("0", "2"));
  EXPECT_THAT(lenient->Skipped(), ElementsAre(HasSubstr("all.csv:3")));
}

TEST(CsvInputTest, RefusesBadRowsOrLeavesThemOut) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv",
                                "path,g\n"
                                "a.jpg,x\n"
                                ",x\n"
                                "b.jpg,\n"
                                "c.jpg\n"
                                "\"d\"e.jpg,x\n"
                                "f.jpg,x\n");

  const auto strict = OpenInput({.path = csv, .group_by = "g"});
  const auto lenient =
      OpenInput({.path = csv, .group_by = "g", .skip_unreadable = true});

  EXPECT_THAT(Message(strict),
              AllOf(HasSubstr("all.csv:3"), HasSubstr("path")));
  ASSERT_TRUE(lenient.ok()) << lenient.status();
  EXPECT_EQ(lenient->num_samples(), 2u);
  EXPECT_THAT(lenient->Skipped(),
              ElementsAre(HasSubstr("all.csv:3"), HasSubstr("all.csv:4"),
                          HasSubstr("all.csv:5"), HasSubstr("all.csv:6")));
}

TEST(CsvInputTest, NamesTheColumnThatIsNotThere) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "path,region\na.jpg,x\n");

  EXPECT_THAT(Message(OpenInput({.path = csv, .group_by = "location"})),
              AllOf(HasSubstr("--group-by"), HasSubstr("\"location\""),
                    HasSubstr("\"region\"")));
  EXPECT_THAT(Message(OpenInput({.path = csv, .path_column = "p"})),
              HasSubstr("--path-column"));
  EXPECT_THAT(Message(OpenInput({.path = csv, .id_column = "i"})),
              HasSubstr("--id-column"));
  EXPECT_THAT(Message(OpenInput({.path = csv, .where = {{"split", "test"}}})),
              HasSubstr("--where"));
  EXPECT_THAT(Message(OpenInput({.path = csv, .features = {"x*"}})),
              AllOf(HasSubstr("--features"), HasSubstr("\"x*\"")));
}

TEST(CsvInputTest, SaysThatAFilterLetsNothingThrough) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "path,split\na,test\nb,train\n");

  const auto input = OpenInput({.path = csv, .where = {{"split", "tset"}}});

  EXPECT_THAT(Message(input),
              AllOf(HasSubstr("split=tset"), HasSubstr("found none among 2")));
}

TEST(CsvInputTest, RefusesOptionsThatExcludeEachOther) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "x\n1\n");

  EXPECT_THAT(
      Message(OpenInput({.path = csv, .group_by = "x", .group_regex = "x"})),
      HasSubstr("got both"));
  EXPECT_THAT(
      Message(OpenInput({.path = csv, .path_column = "x", .features = {"x"}})),
      HasSubstr("got both"));
  EXPECT_THAT(Message(OpenInput({.path = csv, .group_regex = "x"})),
              AllOf(HasSubstr("--group-regex"), HasSubstr("\"path\"")));
  EXPECT_THAT(Message(OpenInput({.path = csv, .groups_file = csv})),
              HasSubstr("--groups"));
  EXPECT_THAT(Message(OpenInput({.path = csv, .max_chunk_samples = 0})),
              HasSubstr("got 0 samples"));
}

TEST(CsvInputTest, RefusesAFileThatChangedMeanwhile) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv", "x,y\n1,2\n3,4\n");
  const auto input = OpenInput({.path = csv});
  ASSERT_TRUE(input.ok()) << input.status();
  folder.Write("all.csv", "x,y\n1\n");

  const ReadSamples samples = ReadGroup(*input, 0);

  EXPECT_EQ(samples.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(samples.ids, SizeIs(0));
}

TEST(ColumnFilterTest, IsAColumnAndAValue) {
  const auto filter = ParseColumnFilter("split=a=b");
  const auto empty = ParseColumnFilter("split=");

  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_EQ(filter->column, "split");
  EXPECT_EQ(filter->value, "a=b");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->value, "");
  EXPECT_FALSE(ParseColumnFilter("split").ok());
  EXPECT_FALSE(ParseColumnFilter("=test").ok());
}

}  // namespace
}  // namespace ladder::client
