#ifndef LADDER_MODEL_STORE_ENGINE_CPU_QUOTA_H_
#define LADDER_MODEL_STORE_ENGINE_CPU_QUOTA_H_

#include <cstddef>
#include <filesystem>

namespace ladder::model_store {

// How many CPUs this process may keep busy: those that its affinity mask
// allows, or fewer if its control group or one around it has a quota (version
// 2: cpu.max; version 1: cpu.cfs_quota_us), rounded up. At least 1. More
// threads than that would only be throttled.
size_t GrantedCpus();

// The same where the file system begins at `root`, for a process whose mask
// allows `allowed_cpus`. What cannot be read grants everything.
size_t GrantedCpus(const std::filesystem::path& root, size_t allowed_cpus);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_CPU_QUOTA_H_
