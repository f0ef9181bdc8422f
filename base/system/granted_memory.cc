#include "base/system/granted_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace ladder::base {
namespace {

constexpr uint64_t kUnlimitedBytes = std::numeric_limits<uint64_t>::max();

// "max" is no number, and no limit.
uint64_t ReadLimit(const std::filesystem::path& path) {
  std::ifstream file(path);
  uint64_t limit = 0;
  return file >> limit ? limit : kUnlimitedBytes;
}

uint64_t ReadMachineMemory(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string name;
  uint64_t kibibytes = 0;
  // The first line: "MemTotal:       16333852 kB".
  return file >> name >> kibibytes && name == "MemTotal:" ? kibibytes * 1024
                                                          : kUnlimitedBytes;
}

// The smallest limit of the group at `path` below `mount` and of all groups
// around it, each of which binds. In a container `path` may be the host's and
// lead nowhere; the container's own group is then at `mount`.
uint64_t SmallestLimit(const std::filesystem::path& mount,
                       absl::string_view path, const char* file) {
  std::filesystem::path group = mount;
  uint64_t smallest = ReadLimit(group / file);
  for (const absl::string_view name :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (name == "..") break;  // Outside of this cgroup namespace.
    group /= std::string(name);
    smallest = std::min(smallest, ReadLimit(group / file));
  }
  return smallest;
}

}  // namespace

uint64_t GrantedMemory(const std::filesystem::path& root) {
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  uint64_t memory = ReadMachineMemory(root);
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines of "hierarchy:controllers:path"; version 2 has no controllers here.
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    if (fields[1].empty()) {
      memory = std::min(memory, SmallestLimit(mount, fields[2], "memory.max"));
    } else if (fields[1] == "memory") {
      memory = std::min(memory, SmallestLimit(mount / "memory", fields[2],
                                              "memory.limit_in_bytes"));
    }
  }
  return memory == kUnlimitedBytes ? 0 : memory;
}

uint64_t GrantedMemory() { return GrantedMemory("/"); }

}  // namespace ladder::base
