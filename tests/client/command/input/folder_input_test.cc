#include <filesystem>
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
using ::testing::IsEmpty;

TEST(FolderInputTest, GroupsPicturesByFolderInSortedOrder) {
  const DataFolder folder;
  folder.Write("site/b/2.png", "b2");
  folder.Write("site/b/10.JPG", "b10");
  folder.Write("site/a/deep/x.jpeg", "deep");
  folder.Write("site/a/1.PnG", "a1");
  folder.Write("site/root.jpg", "root");

  const auto input = OpenInput({.path = folder / "site"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(input->has_pictures());
  EXPECT_EQ(input->num_samples(), 5u);
  EXPECT_THAT(GroupNames(*input), ElementsAre("site", "a", "a/deep", "b"));
  EXPECT_EQ(input->num_samples(3), 2u);
  const ReadSamples b = ReadGroup(*input, 3);
  EXPECT_THAT(b.ids, ElementsAre("b/10.JPG", "b/2.png"));
  EXPECT_THAT(b.pictures, ElementsAre("b10", "b2"));
  EXPECT_THAT(ReadGroup(*input, 0).pictures, ElementsAre("root"));
  EXPECT_THAT(input->remarks(), IsEmpty());
}

TEST(FolderInputTest, NamesTheRootsGroupAfterTheFolderHoweverItIsWritten) {
  const DataFolder folder;
  folder.Write("site/1.jpg", "1");

  for (const char* path : {"site", "site/", "site/.", "site/../site"}) {
    const auto input = OpenInput({.path = folder / path});
    ASSERT_TRUE(input.ok()) << input.status();
    EXPECT_THAT(GroupNames(*input), ElementsAre("site")) << path;
  }
}

TEST(FolderInputTest, KeepsTheRootsGroupApartFromAFolderOfItsName) {
  const DataFolder folder;
  folder.Write("site/1.jpg", "outer");
  folder.Write("site/site/1.jpg", "inner");

  const auto input = OpenInput({.path = folder / "site"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre(".", "site"));
  EXPECT_THAT(ReadGroup(*input, 0).pictures, ElementsAre("outer"));
}

TEST(FolderInputTest, SaysWhatItLeavesOut) {
  const DataFolder folder;
  folder.Write("a/1.jpg", "1");
  folder.Write("a/.hidden.jpg", "2");
  folder.Write(".thumbnails/3.jpg", "3");
  folder.Write("a/notes.txt", "4");
  folder.Write("a/jpg", "5");

  const auto input = OpenInput({.path = folder.path()});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->num_samples(), 1u);
  EXPECT_THAT(input->remarks(),
              ElementsAre(HasSubstr("hidden: 2"),
                          AllOf(HasSubstr(".png: 2 files"),
                                HasSubstr("such as "), HasSubstr("a/jpg"))));
}

TEST(FolderInputTest, GroupsByTheFirstParenthesesOfARegularExpression) {
  const DataFolder folder;
  folder.Write("day1/cam07_1.jpg", "a");
  folder.Write("day1/cam08_1.jpg", "b");
  folder.Write("day2/cam07_2.jpg", "c");

  const auto by_part =
      OpenInput({.path = folder.path(), .group_regex = "/(cam[0-9]+)_"});
  const auto by_match =
      OpenInput({.path = folder.path(), .group_regex = "^day[0-9]"});

  ASSERT_TRUE(by_part.ok()) << by_part.status();
  EXPECT_THAT(GroupNames(*by_part), ElementsAre("cam07", "cam08"));
  EXPECT_THAT(ReadGroup(*by_part, 0).pictures, ElementsAre("a", "c"));
  ASSERT_TRUE(by_match.ok()) << by_match.status();
  EXPECT_THAT(GroupNames(*by_match), ElementsAre("day1", "day2"));
}

TEST(FolderInputTest, RefusesABadRegularExpressionAndPathsThatDoNotMatch) {
  const DataFolder folder;
  folder.Write("a/1.jpg", "1");
  folder.Write("b/2.jpg", "2");

  const auto bad = OpenInput({.path = folder.path(), .group_regex = "("});
  const auto other = OpenInput({.path = folder.path(), .group_regex = "^(a)/"});
  const auto empty = OpenInput({.path = folder.path(), .group_regex = "(x*)"});
  const auto skipped = OpenInput(
      {.path = folder.path(), .group_regex = "^(a)/", .skip_unreadable = true});

  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("got \"(\""));
  EXPECT_THAT(std::string(other.status().message()),
              AllOf(HasSubstr("b/2.jpg"), HasSubstr("--skip-unreadable")));
  EXPECT_THAT(std::string(empty.status().message()), HasSubstr("an empty one"));
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  EXPECT_THAT(GroupNames(*skipped), ElementsAre("a"));
  EXPECT_THAT(skipped->Skipped(), ElementsAre(HasSubstr("b/2.jpg")));
}

TEST(FolderInputTest, FollowsLinksButNotInCircles) {
  const DataFolder folder;
  folder.Write("elsewhere/1.jpg", "1");
  folder.Write("root/a/2.jpg", "2");
  std::filesystem::create_directory_symlink(folder / "elsewhere",
                                            folder / "root/linked");
  std::filesystem::create_directory_symlink(folder / "root",
                                            folder / "root/a/up");
  std::filesystem::create_symlink(folder / "root/self.jpg",
                                  folder / "root/self.jpg");

  const auto input = OpenInput({.path = folder / "root"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("root", "a", "linked"));
  EXPECT_THAT(ReadGroup(*input, 2).pictures, ElementsAre("1"));
  EXPECT_THAT(std::string(ReadGroup(*input, 0).status.message()),
              HasSubstr("self.jpg"));
  EXPECT_THAT(input->remarks(), ElementsAre(HasSubstr("there already: 1")));
}

TEST(FolderInputTest, AFolderHasItsOwnNameWhateverLinksToIt) {
  const DataFolder folder;
  folder.Write("root/real/1.jpg", "1");
  folder.Write("root/real/deep/2.jpg", "2");
  std::filesystem::create_directory_symlink(folder / "root/real",
                                            folder / "root/a_link");
  std::filesystem::create_directory_symlink(folder / "root/real/deep",
                                            folder / "root/b_link");

  const auto input = OpenInput({.path = folder / "root"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("real", "real/deep"));
  EXPECT_THAT(input->remarks(), ElementsAre(HasSubstr("there already: 2")));
}

TEST(FolderInputTest, LinksBehindLinksAreFollowed) {
  const DataFolder folder;
  folder.Write("one/1.jpg", "1");
  folder.Write("two/2.jpg", "2");
  folder.Write("root/3.jpg", "3");
  std::filesystem::create_directory_symlink(folder / "one",
                                            folder / "root/one");
  std::filesystem::create_directory_symlink(folder / "two", folder / "one/two");

  const auto input = OpenInput({.path = folder / "root"});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("root", "one", "one/two"));
}

TEST(FolderInputTest, WritesNamesThatAreNoTextAsText) {
  const DataFolder folder;
  folder.Write("caf\xC3\xA9 \xFF/\xE9.jpg", "1");

  const auto input = OpenInput({.path = folder.path()});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("caf\xC3\xA9 \\xFF"));
  const ReadSamples samples = ReadGroup(*input, 0);
  EXPECT_THAT(samples.ids, ElementsAre("caf\xC3\xA9 \\xFF/\\xE9.jpg"));
  EXPECT_THAT(samples.pictures, ElementsAre("1"));
}

TEST(FolderInputTest, SaysThatThereIsNothingToRead) {
  const DataFolder folder;
  folder.Write("empty/notes.txt", "");

  const auto none = OpenInput({.path = folder / "empty"});
  const auto missing = OpenInput({.path = folder / "missing"});
  const auto other = OpenInput({.path = folder / "empty/notes.txt"});

  EXPECT_THAT(std::string(none.status().message()),
              AllOf(HasSubstr("found none"), HasSubstr("notes.txt")));
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr("expected a folder, a .csv or a .npy file"));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("\".txt\""));
}

TEST(FolderInputTest, RefusesOptionsOfTables) {
  const DataFolder folder;
  folder.Write("1.jpg", "1");

  const auto input = OpenInput({.path = folder.path(), .group_by = "location"});

  EXPECT_EQ(input.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(input.status().message()), HasSubstr("--group-by"));
}

}  // namespace
}  // namespace ladder::client
