#include "base/system/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace ladder::base {
namespace {

constexpr double kUnlimited = HUGE_VAL;

// In CPUs. Both files hold microseconds, of work and of time; "max" or -1 as
// the quota is no limit.
double Ratio(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : kUnlimited;
}

double ReadV2(const std::filesystem::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  return file >> quota >> period ? Ratio(quota, period) : kUnlimited;
}

double ReadV1(const std::filesystem::path& group) {
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period ? Ratio(quota, period)
                                                      : kUnlimited;
}

// The smallest quota of the group at `path` below `mount` and of all groups
// around it, each of which binds. In a container `path` may be the host's and
// lead nowhere; the walk then ends at the container's own group, at `mount`.
template <typename Read>
double SmallestQuota(const std::filesystem::path& mount, absl::string_view path,
                     Read read) {
  std::filesystem::path group = mount;
  double smallest = read(group);
  for (const absl::string_view name :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (name == "..") break;  // Outside of this cgroup namespace.
    group /= std::string(name);
    smallest = std::min(smallest, read(group));
  }
  return smallest;
}

}  // namespace

size_t GrantedCpus(const std::filesystem::path& root, size_t allowed_cpus) {
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  double quota = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines of "hierarchy:controllers:path"; hierarchy 0 is version 2.
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    if (fields[1].empty()) {
      quota = std::min(quota, SmallestQuota(mount, fields[2], ReadV2));
      continue;
    }
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), "cpu") ==
        controllers.end()) {
      continue;
    }
    // Mounted under all its controllers' names; "cpu" alone is a common link.
    for (const std::string& folder : {fields[1], std::string("cpu")}) {
      quota = std::min(quota, SmallestQuota(mount / folder, fields[2], ReadV1));
    }
  }
  const double cpus =
      std::min(std::ceil(quota), static_cast<double>(allowed_cpus));
  return static_cast<size_t>(std::max(cpus, 1.0));
}

size_t GrantedCpus() {
  cpu_set_t mask;
  // Fails on machines with more CPUs than a cpu_set_t has.
  const size_t allowed = sched_getaffinity(0, sizeof(mask), &mask) == 0
                             ? static_cast<size_t>(CPU_COUNT(&mask))
                             : std::thread::hardware_concurrency();
  return GrantedCpus("/", allowed);
}

}  // namespace ladder::base
