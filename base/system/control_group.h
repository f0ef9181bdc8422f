#ifndef LADDER_BASE_SYSTEM_CONTROL_GROUP_H_
#define LADDER_BASE_SYSTEM_CONTROL_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ladder::base {

// A process may use all of the machine, or less if its control
// group or one around it has a limit, of version 2 (cpu.max, memory.max) or of
// version 1 (cpu.cfs_quota_us, memory.limit_in_bytes). What cannot be read
// limits nothing.

// The number of CPUs that this process may keep busy, rounded up, of those that
// its affinity mask allows. At least 1. More threads would only be throttled.
size_t GrantedCpus();

// The same where the file system begins at `root`, for a process whose mask
// allows `allowed_cpus`.
size_t GrantedCpus(const std::filesystem::path& root, size_t allowed_cpus);

// The number of bytes of memory that this process may use.
uint64_t GrantedMemory();

// The same where the file system begins at `root`. 0 if nothing can be read.
uint64_t GrantedMemory(const std::filesystem::path& root);

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_CONTROL_GROUP_H_
