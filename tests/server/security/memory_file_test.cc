#include "server/security/memory_file.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace ladder::server {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct stat StatusOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status;
}

TEST(MemoryFileTest, IsReadByItsPathByItsOwnerAlone) {
  const MemoryFile file = MemoryFile::Create("content").value();

  EXPECT_EQ(Read(file.path()), "content");
  EXPECT_EQ(Read(file.path()), "content");
  EXPECT_EQ(StatusOf(file.path()).st_mode & 0777, 0600);
}

TEST(MemoryFileTest, EveryContentHasItsOwnModificationTime) {
  MemoryFile file = MemoryFile::Create("a").value();
  const std::string path = file.path();
  std::set<time_t> times = {StatusOf(path).st_mtime};

  for (const char* content : {"a longer one", "b", ""}) {
    ASSERT_TRUE(file.Replace(content).ok());

    EXPECT_EQ(Read(path), content);
    times.insert(StatusOf(path).st_mtime);
  }

  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(times.size(), 4);
  EXPECT_EQ(times.count(0), 0);
}

TEST(MemoryFileTest, TwoFilesDoNotShareContent) {
  MemoryFile first = MemoryFile::Create("1").value();
  const MemoryFile second = MemoryFile::Create("2").value();

  ASSERT_TRUE(first.Replace("3").ok());

  EXPECT_EQ(Read(first.path()), "3");
  EXPECT_EQ(Read(second.path()), "2");
}

TEST(MemoryFileTest, AReaderNeverSeesAMixture) {
  const std::string contents[] = {std::string(50'000, 'a'),
                                  std::string(70'000, 'b')};
  MemoryFile file = MemoryFile::Create(contents[0]).value();

  std::jthread writer([&](const std::stop_token& stop) {
    for (size_t i = 1; !stop.stop_requested(); ++i) {
      EXPECT_TRUE(file.Replace(contents[i % 2]).ok());
    }
  });
  for (int i = 0; i < 500; ++i) {
    const std::string seen = Read(file.path());
    ASSERT_TRUE(seen == contents[0] || seen == contents[1]) << seen.size();
  }
}

}  // namespace
}  // namespace ladder::server
