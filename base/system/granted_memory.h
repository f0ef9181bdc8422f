#ifndef LADDER_BASE_SYSTEM_GRANTED_MEMORY_H_
#define LADDER_BASE_SYSTEM_GRANTED_MEMORY_H_

#include <cstdint>
#include <filesystem>

namespace ladder::base {

// How many bytes of memory this process may use: the machine's, or fewer if its
// control group or one around it has a limit (version 2: memory.max; version 1:
// memory.limit_in_bytes).
uint64_t GrantedMemory();

// The same where the file system begins at `root`. What cannot be read grants
// everything; 0 if nothing can be read.
uint64_t GrantedMemory(const std::filesystem::path& root);

}  // namespace ladder::base

#endif  // LADDER_BASE_SYSTEM_GRANTED_MEMORY_H_
