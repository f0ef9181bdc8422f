#include <fstream>
#include <string>

#include "base/system/control_group.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"

namespace ladder::base {
namespace {

// A file system as a process in a control group sees it, on a machine with
// 4 GiB.
class GrantedMemoryTest : public ::testing::Test {
 protected:
  GrantedMemoryTest() {
    Write("proc/meminfo", "MemTotal:        4194304 kB\nMemFree: 100 kB\n");
  }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  uint64_t Granted() const { return GrantedMemory(root_.path()); }

  const TemporaryDirectory root_;
};

constexpr uint64_t kMachine = uint64_t{4} << 30;

TEST_F(GrantedMemoryTest, GrantsTheMachinesMemoryWithoutControlGroups) {
  EXPECT_EQ(Granted(), kMachine);
}

TEST_F(GrantedMemoryTest, TakesTheSmallestVersion2LimitOnThePath) {
  Write("proc/self/cgroup", "0::/pods/pod/container\n");
  Write("sys/fs/cgroup/pods/memory.max", "max\n");
  Write("sys/fs/cgroup/pods/pod/memory.max", "1000000\n");
  Write("sys/fs/cgroup/pods/pod/container/memory.max", "2000000\n");

  EXPECT_EQ(Granted(), 1'000'000);
}

TEST_F(GrantedMemoryTest, FindsAContainersOwnLimitAtTheMount) {
  Write("proc/self/cgroup", "0::/../../of/the/host\n");
  Write("sys/fs/cgroup/memory.max", "3000000\n");

  EXPECT_EQ(Granted(), 3'000'000);
}

TEST_F(GrantedMemoryTest, TakesVersion1Limits) {
  Write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/service\n0::/\n");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/service/memory.limit_in_bytes", "4000000\n");

  EXPECT_EQ(Granted(), 4'000'000);
}

TEST_F(GrantedMemoryTest, NeverGrantsMoreThanTheMachineHas) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "9223372036854771712\n");

  EXPECT_EQ(Granted(), kMachine);
}

TEST_F(GrantedMemoryTest, IsZeroIfNothingCanBeRead) {
  std::filesystem::remove(root_.path() / "proc/meminfo");

  EXPECT_EQ(Granted(), 0);
}

TEST(GrantedMemoryHereTest, IsPositive) { EXPECT_GT(GrantedMemory(), 0u); }

}  // namespace
}  // namespace ladder::base
