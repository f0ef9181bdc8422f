#include <cmath>
#include <string>
#include <vector>

#include "client/command/input/input.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/input/read_group.h"
#include "tests/data_folder.h"
#include "tests/write_npy.h"

namespace ladder::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path WriteArray(const DataFolder& folder,
                                 std::vector<int64_t> shape,
                                 std::vector<float> values) {
  const std::filesystem::path path = folder / "samples.npy";
  EXPECT_TRUE(WriteNpy(path, shape, values).ok());
  return path;
}

TEST(ArrayInputTest, IsOneGroupNamedAfterTheFile) {
  const DataFolder folder;
  const auto path = WriteArray(folder, {2, 1, 2}, {1, 2, 3, 4});

  const auto input = OpenInput({.path = path});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_FALSE(input->has_pictures());
  EXPECT_THAT(GroupNames(*input), ElementsAre("samples"));
  const auto chunk = input->Open(0)->Next();
  ASSERT_TRUE(chunk.ok() && chunk->has_value()) << chunk.status();
  EXPECT_THAT((*chunk)->tensor().shape(), ElementsAre(2, 1, 2));
  EXPECT_THAT(ReadGroup(*input, 0).numbers, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ReadGroup(*input, 0).ids, ElementsAre("0", "1"));
}

TEST(ArrayInputTest, TakesGroupsIdsAndFiltersFromATable) {
  const DataFolder folder;
  const auto path = WriteArray(folder, {4, 1}, {10, 11, 12, 13});
  const auto groups = folder.Write("groups.csv",
                                   "g,key,split\n"
                                   "b,k0,test\n"
                                   "a,k1,test\n"
                                   "b,k2,train\n"
                                   "b,k3,test\n");

  const auto input = OpenInput({.path = path,
                                .group_by = "g",
                                .groups_file = groups,
                                .id_column = "key",
                                .where = {{"split", "test"}}});

  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(GroupNames(*input), ElementsAre("b", "a"));
  EXPECT_THAT(ReadGroup(*input, 0).numbers, ElementsAre(10, 13));
  EXPECT_THAT(ReadGroup(*input, 0).ids, ElementsAre("k0", "k3"));
}

TEST(ArrayInputTest, RefusesATableOfAnotherLength) {
  const DataFolder folder;
  const auto path = WriteArray(folder, {3, 1}, {1, 2, 3});
  const auto groups = folder.Write("groups.csv", "g\na\nb\n");

  const auto input =
      OpenInput({.path = path, .group_by = "g", .groups_file = groups});

  EXPECT_THAT(
      std::string(input.status().message()),
      AllOf(HasSubstr("groups.csv: expected 3 rows"), HasSubstr("found 2")));
}

TEST(ArrayInputTest, RefusesColumnsWithoutATableAndArraysOfNumbers) {
  const DataFolder folder;
  const auto path = WriteArray(folder, {3, 1}, {1, 2, 3});

  const auto no_table = OpenInput({.path = path, .group_by = "g"});
  WriteArray(folder, {3}, {1, 2, 3});
  const auto flat = OpenInput({.path = path});
  folder.Write("samples.npy", "no array");
  const auto broken = OpenInput({.path = path});

  EXPECT_THAT(std::string(no_table.status().message()), HasSubstr("--groups"));
  EXPECT_THAT(std::string(flat.status().message()), HasSubstr("shape (3)"));
  EXPECT_THAT(std::string(broken.status().message()), HasSubstr("samples.npy"));
}

TEST(ArrayInputTest, NamesTheRowThatHasNoNumber) {
  const DataFolder folder;
  const auto path = WriteArray(folder, {3, 1}, {1, NAN, 3});

  const auto strict = OpenInput({.path = path});
  const auto lenient = OpenInput({.path = path, .skip_unreadable = true});

  ASSERT_TRUE(strict.ok() && lenient.ok());
  EXPECT_THAT(std::string(ReadGroup(*strict, 0).status.message()),
              AllOf(HasSubstr("group \"samples\""), HasSubstr("in row 1")));
  EXPECT_THAT(ReadGroup(*lenient, 0).ids, ElementsAre("0", "2"));
}

}  // namespace
}  // namespace ladder::client
