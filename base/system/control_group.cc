#include "base/system/control_group.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace ladder::base {
namespace {

namespace fs = std::filesystem;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// The limit that one group's files tell, or kNoLimit if they tell none.
using ReadGroup = std::function<double(const fs::path& group)>;

// The smallest limit of this process's group and of all groups around it, each
// of which binds. `read_v1` reads a group of the version 1 hierarchy that has
// `controller`.
double SmallestLimit(const fs::path& root, absl::string_view controller,
                     const ReadGroup& read_v1, const ReadGroup& read_v2) {
  const fs::path mount = root / "sys/fs/cgroup";
  double smallest = kNoLimit;
  // In a container the path may be the host's and lead nowhere; the walk then
  // ends at the container's own group, at the mount.
  const auto walk = [&smallest](fs::path group, absl::string_view path,
                                const ReadGroup& read) {
    smallest = std::min(smallest, read(group));
    for (const absl::string_view name :
         absl::StrSplit(path, '/', absl::SkipEmpty())) {
      if (name == "..") break;  // Outside of this cgroup namespace.
      group /= std::string(name);
      smallest = std::min(smallest, read(group));
    }
  };
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines of "hierarchy:controllers:path"; version 2 has no controllers here.
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    if (fields[1].empty()) {
      walk(mount, fields[2], read_v2);
      continue;
    }
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), controller) ==
        controllers.end()) {
      continue;
    }
    // Mounted under all its controllers' names; one alone is a common link.
    for (const std::string& folder : {fields[1], std::string(controller)}) {
      walk(mount / folder, fields[2], read_v1);
    }
  }
  return smallest;
}

// Both are microseconds, of work and of time; "max" or -1 as the quota is no
// limit.
double QuotaInCpus(std::istream& quota_file, std::istream& period_file) {
  double quota = 0;
  double period = 0;
  return quota_file >> quota && period_file >> period && quota > 0 && period > 0
             ? quota / period
             : kNoLimit;
}

// "max" is no number, and no limit.
double ReadBytes(const fs::path& path) {
  std::ifstream file(path);
  double limit = 0;
  return file >> limit && limit >= 0 ? limit : kNoLimit;
}

double ReadMachineMemory(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string name;
  double kibibytes = 0;
  // The first line: "MemTotal:       16333852 kB".
  return file >> name >> kibibytes && name == "MemTotal:" ? kibibytes * 1024
                                                          : kNoLimit;
}

}  // namespace

size_t GrantedCpus(const fs::path& root, size_t allowed_cpus) {
  const double quota = SmallestLimit(
      root, "cpu",
      [](const fs::path& group) {
        std::ifstream quota_file(group / "cpu.cfs_quota_us");
        std::ifstream period_file(group / "cpu.cfs_period_us");
        return QuotaInCpus(quota_file, period_file);
      },
      [](const fs::path& group) {
        std::ifstream file(group / "cpu.max");
        return QuotaInCpus(file, file);
      });
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

uint64_t GrantedMemory(const fs::path& root) {
  const double limit = SmallestLimit(
      root, "memory",
      [](const fs::path& group) {
        return ReadBytes(group / "memory.limit_in_bytes");
      },
      [](const fs::path& group) { return ReadBytes(group / "memory.max"); });
  const double memory = std::min(ReadMachineMemory(root), limit);
  return memory < 0x1p63 ? static_cast<uint64_t>(memory) : 0;
}

uint64_t GrantedMemory() { return GrantedMemory("/"); }

}  // namespace ladder::base
