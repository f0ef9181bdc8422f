#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_store/format/file_bytes.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()),
          file.bytes().size()};
}

class MappedFileTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name,
                              const std::string& text) {
    const auto path = directory_.path() / name;
    std::ofstream(path) << text;
    return path;
  }

  TemporaryDirectory directory_;
};

TEST_F(MappedFileTest, HoldsTheBytesOfTheFile) {
  const auto file = MappedFile::Open(Write("a", "some bytes"));

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextOf(*file), "some bytes");
}

TEST_F(MappedFileTest, MapsAnEmptyFile) {
  const auto file = MappedFile::Open(Write("a", ""));

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(MappedFileTest, OutlivesTheFilesName) {
  const auto path = Write("a", "kept");
  const auto file = MappedFile::Open(path);
  std::filesystem::remove(path);

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextOf(*file), "kept");
}

TEST_F(MappedFileTest, MovesItsBytes) {
  MappedFile first = MappedFile::Open(Write("a", "first")).value();
  MappedFile second = MappedFile::Open(Write("b", "second")).value();

  second = std::move(first);
  MappedFile third(std::move(second));

  EXPECT_EQ(TextOf(third), "first");
}

TEST_F(MappedFileTest, SaysThatThereIsNoFile) {
  const auto path = directory_.path() / "none";

  const auto file = MappedFile::Open(path);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(file.status().message(), HasSubstr(path.string()));
}

TEST_F(MappedFileTest, RefusesASymbolicLink) {
  const auto link = directory_.path() / "link";
  std::filesystem::create_symlink(Write("a", "elsewhere"), link);

  const auto file = MappedFile::Open(link);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(file.status().message(), HasSubstr(link.string()));
  EXPECT_THAT(file.status().message(), HasSubstr("symbolic link"));
}

TEST_F(MappedFileTest, RefusesAFolder) {
  const auto file = MappedFile::Open(directory_.path());

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(file.status().message(), HasSubstr("found a folder"));
}

TEST_F(MappedFileTest, RefusesAPipeWithoutWaitingForIt) {
  const auto pipe = directory_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

  const auto file = MappedFile::Open(pipe);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::model_store
