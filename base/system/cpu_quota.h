#ifndef LADDER_BASE_SYSTEM_CPU_QUOTA_H_
#define LADDER_BASE_SYSTEM_CPU_QUOTA_H_

#include <cstddef>
#include <filesystem>

namespace ladder::base {

// How many CPUs this process may keep busy: those that its affinity mask
// allows, or fewer if its control group or one around it has a quota (version
// 2: cpu.max; version 1: cpu.cfs_quota_us), rounded up. At least 1. More
// threads than that would only be throttled.
size_t GrantedCpus();

// The same where the file system begins at `root`, for a process whose mask
// allows `allowed_cpus`. What cannot be read grants everything.
size_t GrantedCpus(const std::filesystem::path& root, size_t allowed_cpus);

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_CPU_QUOTA_H_
