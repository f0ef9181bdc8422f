#include "server/observe/line_writer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"

namespace ladder::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// What a writer that is stuck is given at the end.
constexpr absl::Duration kBriefly = absl::Milliseconds(20);

// A pipe of the smallest size, which nobody reads unless asked to.
class SmallPipe {
 public:
  SmallPipe() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    EXPECT_GT(fcntl(ends_[1], F_SETPIPE_SZ, 1), 0);
  }
  ~SmallPipe() {
    close(ends_[0]);
    CloseInput();
  }

  int input() const { return ends_[1]; }

  // Takes out what is in the pipe now.
  std::string ReadSome() {
    std::string text(1 << 16, '\0');
    const ssize_t n = read(ends_[0], text.data(), text.size());
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text;
  }
  // Takes out all, until the last writer is gone.
  std::string ReadAll() {
    CloseInput();
    std::string all;
    for (std::string some = ReadSome(); !some.empty(); some = ReadSome()) {
      all += some;
    }
    return all;
  }

 private:
  void CloseInput() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

  int ends_[2] = {-1, -1};
};

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(LineWriterTest, WritesLinesInTheirOrder) {
  SmallPipe pipe;
  LineWriter writer(pipe.input());

  writer.Write("one");
  writer.Write("two");
  writer.Write("");
  writer.Close();

  EXPECT_EQ(pipe.ReadAll(), "one\ntwo\n\n");
  EXPECT_EQ(writer.num_dropped(), 0);
}

TEST(LineWriterTest, NobodyWaitsForAReaderThatIsStuckNotEvenAtTheEnd) {
  constexpr size_t kLines = 20'000;  // Far more than pipe and queue hold.
  SmallPipe pipe;
  LineWriter writer(pipe.input(), kBriefly);

  for (size_t i = 0; i < kLines; ++i) writer.Write(std::string(100, 'x'));
  const uint64_t while_running = writer.num_dropped();
  writer.Close();

  EXPECT_THAT(while_running, Gt(0u));
  EXPECT_EQ(writer.num_dropped() + Lines(pipe.ReadSome()).size(), kLines);
}

TEST(LineWriterTest, AReaderThatIsGoneIsCounted) {
  std::optional<LineWriter> writer;
  {
    SmallPipe pipe;
    writer.emplace(pipe.input());
  }

  writer->Write("line");
  writer->Close();

  EXPECT_EQ(writer->num_dropped(), 1);
}

TEST(LineWriterTest, TheLatestLinesAreKeptForAReaderThatComesBack) {
  SmallPipe pipe;
  LineWriter writer(pipe.input());
  for (int i = 0; i < 10'000; ++i) writer.Write(absl::StrCat("line ", i));
  const uint64_t dropped = writer.num_dropped();

  std::string text;
  while (!text.ends_with("line 9999\n")) text += pipe.ReadSome();
  writer.Close();

  EXPECT_THAT(dropped, Gt(0u));
  EXPECT_EQ(writer.num_dropped(), dropped);
  EXPECT_THAT(Lines(text), SizeIs(10'000 - dropped));
}

TEST(LineWriterTest, AFullDiskIsCounted) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  LineWriter writer(full);

  for (int i = 0; i < 5; ++i) writer.Write("line");
  writer.Close();

  EXPECT_EQ(writer.num_dropped(), 5);
  close(full);
}

TEST(LineWriterTest, ADescriptorThatIsNoneIsCounted) {
  LineWriter writer(/*descriptor=*/-1);

  writer.Write("line");
  writer.Close();

  EXPECT_EQ(writer.num_dropped(), 1);
}

TEST(LineWriterTest, LinesAfterTheEndAreCounted) {
  SmallPipe pipe;
  LineWriter writer(pipe.input());

  writer.Close();
  writer.Write("late");

  EXPECT_EQ(writer.num_dropped(), 1);
  EXPECT_THAT(pipe.ReadAll(), IsEmpty());
}

// Files of this process may grow to so many bytes, while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal_before_ = std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, signal_before_);
  }

 private:
  rlimit before_ = {};
  void (*signal_before_)(int) = nullptr;
};

TEST(LineWriterTest, ALineThatWasCutByAFullDiskEndsBeforeTheNextOne) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "log";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  LineWriter writer(file);
  std::optional<FileSizeLimit> disk(std::in_place, 12);

  writer.Write("first");        // 6 bytes with its end.
  writer.Write("second line");  // 6 of 12 fit.
  writer.Write("third");        // Nothing does.
  writer.Flush(absl::InfiniteDuration());
  disk.reset();  // Somebody has made room.
  writer.Write("fourth");
  writer.Close();

  std::string text(100, '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  EXPECT_THAT(Lines(text), ElementsAre("first", "second", "fourth"));
  EXPECT_EQ(writer.num_dropped(), 2);
  close(file);
}

}  // namespace
}  // namespace ladder::server
