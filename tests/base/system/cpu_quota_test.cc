#include <filesystem>
#include <fstream>
#include <string>

#include "base/system/control_group.h"
#include "gtest/gtest.h"
#include "tests/temporary_directory.h"

namespace ladder::base {
namespace {

// A file system as a process in a control group sees it.
class CpuQuotaTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  size_t Granted(size_t allowed_cpus = 64) {
    return GrantedCpus(root_.path(), allowed_cpus);
  }

 private:
  TemporaryDirectory root_;
};

TEST_F(CpuQuotaTest, GrantsWhatTheMaskAllowsWithoutControlGroups) {
  EXPECT_EQ(Granted(6), 6);
}

TEST_F(CpuQuotaTest, GrantsAtLeastOne) {
  EXPECT_EQ(Granted(0), 1);

  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "1000 100000\n");
  EXPECT_EQ(Granted(), 1);
}

TEST_F(CpuQuotaTest, RoundsVersion2QuotasUp) {
  Write("proc/self/cgroup", "0::/service\n");
  Write("sys/fs/cgroup/service/cpu.max", "250000 100000\n");

  EXPECT_EQ(Granted(), 3);
}

TEST_F(CpuQuotaTest, NeverGrantsMoreThanTheMask) {
  Write("proc/self/cgroup", "0::/service\n");
  Write("sys/fs/cgroup/service/cpu.max", "800000 100000\n");

  EXPECT_EQ(Granted(2), 2);
}

TEST_F(CpuQuotaTest, TakesTheSmallestQuotaOnThePath) {
  Write("proc/self/cgroup", "0::/pods/pod/container\n");
  Write("sys/fs/cgroup/pods/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/pods/pod/cpu.max", "200000 100000\n");
  Write("sys/fs/cgroup/pods/pod/container/cpu.max", "400000 100000\n");

  EXPECT_EQ(Granted(), 2);
}

TEST_F(CpuQuotaTest, TakesNoQuotaForNoLimit) {
  Write("proc/self/cgroup", "0::/service\n");
  Write("sys/fs/cgroup/service/cpu.max", "max 100000\n");

  EXPECT_EQ(Granted(), 64);
}

TEST_F(CpuQuotaTest, ReadsAContainersOwnGroupWhenThePathIsTheHosts) {
  Write("proc/self/cgroup", "0::/docker/0123abcd\n");
  Write("sys/fs/cgroup/cpu.max", "300000 100000\n");

  EXPECT_EQ(Granted(), 3);
}

TEST_F(CpuQuotaTest, StaysInsideTheMountWhenThePathLeavesIt) {
  Write("proc/self/cgroup", "0::/../../elsewhere\n");
  Write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  Write("sys/elsewhere/cpu.max", "100000 100000\n");

  EXPECT_EQ(Granted(), 3);
}

TEST_F(CpuQuotaTest, ReadsVersion1Quotas) {
  Write("proc/self/cgroup",
        "4:memory:/service\n3:cpu,cpuacct:/service\n0::/service\n");
  Write("sys/fs/cgroup/cpu,cpuacct/service/cpu.cfs_quota_us", "150000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/service/cpu.cfs_period_us", "100000\n");

  EXPECT_EQ(Granted(), 2);
}

TEST_F(CpuQuotaTest, FindsVersion1UnderItsShortName) {
  Write("proc/self/cgroup", "3:cpuacct,cpu:/service\n");
  Write("sys/fs/cgroup/cpu/service/cpu.cfs_quota_us", "500000\n");
  Write("sys/fs/cgroup/cpu/service/cpu.cfs_period_us", "100000\n");

  EXPECT_EQ(Granted(), 5);
}

TEST_F(CpuQuotaTest, TakesNegativeVersion1QuotasForNoLimit) {
  Write("proc/self/cgroup", "3:cpu:/service\n");
  Write("sys/fs/cgroup/cpu/service/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu/service/cpu.cfs_period_us", "100000\n");

  EXPECT_EQ(Granted(), 64);
}

TEST_F(CpuQuotaTest, IgnoresWhatItCannotRead) {
  Write("proc/self/cgroup", "nonsense\n0::/service\n");
  Write("sys/fs/cgroup/service/cpu.max", "many few\n");

  EXPECT_EQ(Granted(), 64);
}

TEST_F(CpuQuotaTest, GrantsThisProcessSomething) {
  EXPECT_GE(GrantedCpus(), 1);
}

}  // namespace
}  // namespace ladder::base
