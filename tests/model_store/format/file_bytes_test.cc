#include "model_store/format/file_bytes.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/thread_pool.h"
#include "tests/temporary_directory.h"

namespace ladder::model_store {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const FileBytes& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()),
          file.bytes().size()};
}

class FileBytesTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name,
                              const std::string& text) {
    const auto path = directory_.path() / name;
    std::ofstream(path) << text;
    return path;
  }

  TemporaryDirectory directory_;
};

TEST_F(FileBytesTest, HoldsTheBytesOfTheFile) {
  const auto file = FileBytes::Read(Write("a", "some bytes"));

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextOf(*file), "some bytes");
}

TEST_F(FileBytesTest, HoldsNothingOfAnEmptyFile) {
  const auto file = FileBytes::Read(Write("a", ""));

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(FileBytesTest, OutlivesTheFilesName) {
  const auto path = Write("a", "kept");
  const auto file = FileBytes::Read(path);
  std::filesystem::remove(path);

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextOf(*file), "kept");
}

TEST_F(FileBytesTest, OutlivesTheFilesBytes) {
  const auto path = Write("a", "kept");
  const auto file = FileBytes::Read(path);
  std::filesystem::resize_file(path, 0);  // As the beginning of a plain `cp`.
  Write("a", "late");

  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextOf(*file), "kept");
}

TEST_F(FileBytesTest, HoldsFilesOfManyPieces) {
  std::string text;
  for (int i = 0; text.size() < (9 << 20); ++i) text += std::to_string(i);
  routing::ThreadPool pool(2);
  const auto file = OpenRegularFile(Write("a", text));
  ASSERT_TRUE(file.ok()) << file.status();

  const auto bytes = FileBytes::Read(*file, {.pool = &pool});

  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(TextOf(*bytes) == text);
}

TEST_F(FileBytesTest, RefusesAFileThatBecomesShorterWhileItIsRead) {
  const auto path = Write("a", "some bytes");
  const auto file = OpenRegularFile(path);
  ASSERT_TRUE(file.ok()) << file.status();
  std::filesystem::resize_file(path, 4);

  const auto bytes = FileBytes::Read(*file, {});

  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(bytes.status().message(), HasSubstr(path.string()));
  EXPECT_THAT(bytes.status().message(),
              HasSubstr("expected 10 bytes at 0, found 4"));
}

TEST_F(FileBytesTest, StopsWhenAsked) {
  const auto file = OpenRegularFile(Write("a", "some bytes"));
  ASSERT_TRUE(file.ok()) << file.status();
  std::stop_source source;
  source.request_stop();

  const auto bytes = FileBytes::Read(*file, {.stop = source.get_token()});

  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(FileBytesTest, MovesItsBytes) {
  FileBytes first = FileBytes::Read(Write("a", "first")).value();
  FileBytes second = FileBytes::Read(Write("b", "second")).value();

  second = std::move(first);
  FileBytes third(std::move(second));

  EXPECT_EQ(TextOf(third), "first");
}

TEST_F(FileBytesTest, SaysThatThereIsNoFile) {
  const auto path = directory_.path() / "none";

  const auto file = FileBytes::Read(path);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(file.status().message(), HasSubstr(path.string()));
}

TEST_F(FileBytesTest, RefusesASymbolicLink) {
  const auto link = directory_.path() / "link";
  std::filesystem::create_symlink(Write("a", "elsewhere"), link);

  const auto file = FileBytes::Read(link);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(file.status().message(), HasSubstr(link.string()));
  EXPECT_THAT(file.status().message(), HasSubstr("symbolic link"));
}

TEST_F(FileBytesTest, RefusesAFolder) {
  const auto file = FileBytes::Read(directory_.path());

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(file.status().message(), HasSubstr("found a folder"));
}

TEST_F(FileBytesTest, RefusesAPipeWithoutWaitingForIt) {
  const auto pipe = directory_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

  const auto file = FileBytes::Read(pipe);

  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ladder::model_store
