#include <filesystem>
#include <memory>
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

TEST(GroupReaderTest, FillsChunksUpToEitherLimit) {
  const DataFolder folder;
  // Ids, which are sent too, have 5 bytes.
  folder.Write("1.jpg", std::string(45, '1'));
  folder.Write("2.jpg", std::string(45, '2'));
  folder.Write("3.jpg", std::string(500, '3'));
  folder.Write("4.jpg", "4");
  folder.Write("5.jpg", "5");
  folder.Write("6.jpg", "6");
  folder.Write("7.jpg", "7");

  const auto input = OpenInput(
      {.path = folder.path(), .max_chunk_samples = 3, .max_chunk_bytes = 100});

  ASSERT_TRUE(input.ok()) << input.status();
  const ReadSamples samples = ReadGroup(*input, 0);
  EXPECT_THAT(samples.chunk_sizes, ElementsAre(2, 1, 3, 1));
  EXPECT_EQ(samples.pictures[2], std::string(500, '3'));
  EXPECT_THAT(samples.ids, ElementsAre("1.jpg", "2.jpg", "3.jpg", "4.jpg",
                                       "5.jpg", "6.jpg", "7.jpg"));
}

TEST(GroupReaderTest, ReadsAFileOnlyWhenItsChunkIsAskedFor) {
  const DataFolder folder;
  folder.Write("1.jpg", "1");
  folder.Write("2.jpg", "2");
  const auto input = OpenInput({.path = folder.path(), .max_chunk_samples = 1});
  ASSERT_TRUE(input.ok()) << input.status();
  const auto reader = input->Open(0);
  ASSERT_TRUE(reader->Next().ok());

  folder.Write("2.jpg", "changed");

  EXPECT_THAT(ReadAll(*reader).pictures, ElementsAre("changed"));
}

TEST(GroupReaderTest, BeginsAnewAtAnyTime) {
  const DataFolder folder;
  folder.Write("1.jpg", std::string(60, '1'));
  folder.Write("2.jpg", std::string(60, '2'));
  const auto input = OpenInput({.path = folder.path(), .max_chunk_bytes = 100});
  ASSERT_TRUE(input.ok()) << input.status();
  const auto reader = input->Open(0);

  // The second picture has been read, but did not fit into the first chunk.
  ASSERT_TRUE(reader->Next().ok());
  ASSERT_TRUE(reader->Rewind().ok());
  const ReadSamples first = ReadAll(*reader);
  ASSERT_TRUE(reader->Rewind().ok());
  const ReadSamples second = ReadAll(*reader);

  EXPECT_THAT(first.ids, ElementsAre("1.jpg", "2.jpg"));
  EXPECT_EQ(second.pictures, first.pictures);
}

TEST(GroupReaderTest, NamesGroupAndFileThatCannotBeReadAndWhatToDo) {
  const DataFolder folder;
  folder.Write("north/1.jpg", "1");
  folder.Write("north/2.jpg", "2");
  const auto input = OpenInput({.path = folder.path(), .max_chunk_samples = 1});
  ASSERT_TRUE(input.ok()) << input.status();
  std::filesystem::remove(folder / "north/2.jpg");

  const ReadSamples samples = ReadGroup(*input, 0);

  EXPECT_THAT(samples.ids, ElementsAre("north/1.jpg"));
  EXPECT_THAT(std::string(samples.status.message()),
              AllOf(HasSubstr("group \"north\""),
                    HasSubstr((folder / "north/2.jpg").string()),
                    HasSubstr("no such file"), HasSubstr("--skip-unreadable")));
}

TEST(GroupReaderTest, LeavesOutWhatCannotBeReadAndListsItOnce) {
  const DataFolder folder;
  const auto csv = folder.Write("all.csv",
                                "path\na/missing.jpg\na/1.jpg\na/large.jpg\n"
                                "a/folder\nb/missing.jpg\n");
  folder.Write("a/1.jpg", "1");
  folder.Write("a/large.jpg", std::string(11, 'x'));
  std::filesystem::create_directory(folder / "a/folder");
  const auto input = OpenInput(
      {.path = csv, .max_picture_bytes = 10, .skip_unreadable = true});
  ASSERT_TRUE(input.ok()) << input.status();

  const ReadSamples a = ReadGroup(*input, 0);
  const ReadSamples again = ReadGroup(*input, 0);
  const ReadSamples b = ReadGroup(*input, 1);

  EXPECT_TRUE(a.status.ok()) << a.status;
  EXPECT_THAT(a.ids, ElementsAre("a/1.jpg"));
  EXPECT_EQ(again.ids, a.ids);
  EXPECT_TRUE(b.status.ok()) << b.status;
  EXPECT_THAT(b.ids, IsEmpty());
  EXPECT_THAT(
      input->Skipped(),
      ElementsAre(AllOf(HasSubstr("group \"a\""), HasSubstr("all.csv:2")),
                  AllOf(HasSubstr("all.csv:4"), HasSubstr("at most 10 bytes")),
                  AllOf(HasSubstr("all.csv:5"), HasSubstr("a folder")),
                  AllOf(HasSubstr("group \"b\""), HasSubstr("all.csv:6"))));
}

TEST(GroupReaderTest, MayOutliveItsInput) {
  const DataFolder folder;
  folder.Write("1.jpg", "1");
  std::unique_ptr<SampleReader> reader;
  {
    const auto input = OpenInput({.path = folder.path()});
    ASSERT_TRUE(input.ok()) << input.status();
    reader = input->Open(0);
  }

  EXPECT_THAT(ReadAll(*reader).pictures, ElementsAre("1"));
}

}  // namespace
}  // namespace ladder::client
