#ifndef LADDER_BASE_FILES_DURABLE_FILE_H_
#define LADDER_BASE_FILES_DURABLE_FILE_H_

#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::base {

// Files that survive a power failure. Errors are what errno says, with the
// path.

// What errno says, after what was tried: "cannot create", and the path.
absl::Status ErrnoError(absl::string_view action,
                        const std::filesystem::path& path);

// Writes a new file and waits until the disk has it. An error if there is one.
absl::Status WriteNewFile(const std::filesystem::path& path,
                          absl::string_view content);

// Waits until the disk has the names in `directory`; until then a power failure
// may undo a renaming.
absl::Status FlushDirectory(const std::filesystem::path& directory);

// Makes `content` the whole content of the file, new or not, in one step: after
// a crash at any time it is as before or as after. Writes a sibling whose name
// begins with a dot, flushes it to the disk and renames it. On failure the file
// is as before.
absl::Status ReplaceFile(const std::filesystem::path& path,
                         absl::string_view content);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_DURABLE_FILE_H_
