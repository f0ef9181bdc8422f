#include "base/files/whole_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"

namespace ladder::base {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WholeFileTest : public ::testing::Test {
 protected:
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  const TemporaryDirectory folder_;
};

TEST_F(WholeFileTest, NewFilesDoNotReplaceOthers) {
  const fs::path path = folder_.path() / "a";
  ASSERT_TRUE(WriteNewFile(path, "first").ok());

  const absl::Status status = WriteNewFile(path, "second");

  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path.string()));
  EXPECT_EQ(Read("a"), "first");
}

TEST_F(WholeFileTest, ReplacesAWholeFileAndLeavesNothingElse) {
  ASSERT_TRUE(ReplaceFile(folder_.path() / "a", "a longer text").ok());

  ASSERT_TRUE(ReplaceFile(folder_.path() / "a", "short").ok());

  EXPECT_EQ(Read("a"), "short");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, LeavesNothingBehindWhereItCannotReplace) {
  fs::create_directory(folder_.path() / "taken");

  const absl::Status status = ReplaceFile(folder_.path() / "taken", "text");

  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("taken"));
  EXPECT_THAT(Names(), ElementsAre("taken"));
}

TEST_F(WholeFileTest, NamesTheFolderThatIsMissing) {
  const absl::Status status = ReplaceFile(folder_.path() / "no" / "a", "text");

  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/"));
}

TEST(ReadTextTest, ReadsAllThatIsThere) {
  const TemporaryDirectory folder;
  const std::string text(10'000, 'x');
  ASSERT_TRUE(WriteNewFile(folder.path() / "long", text).ok());
  ASSERT_TRUE(WriteNewFile(folder.path() / "empty", "").ok());

  EXPECT_EQ(ReadText(folder.path() / "long"), text);
  EXPECT_EQ(ReadText(folder.path() / "empty"), "");
  EXPECT_NE(ReadText("/proc/self/stat").value_or(""), "");
}

TEST(ReadTextTest, HasNothingOfFoldersAndMissingFiles) {
  const TemporaryDirectory folder;

  EXPECT_EQ(ReadText(folder.path()), std::nullopt);
  EXPECT_EQ(ReadText(folder.path() / "none"), std::nullopt);
}

}  // namespace
}  // namespace ladder::base
