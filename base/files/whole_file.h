#ifndef LADDER_BASE_FILES_WHOLE_FILE_H_
#define LADDER_BASE_FILES_WHOLE_FILE_H_

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::base {

// Files that are read and written as a whole. What is written survives a power
// failure. Errors are what errno says, with the path.

// All that can be read at `path`: a file, a pipe up to its end, or a file of
// /proc, whose size nobody knows before. None if it cannot be read, as a folder
// cannot. Inline, because the client library that is installed has only headers
// of base.
inline std::optional<std::string> ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 4096> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    text.append(block.data(), static_cast<size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) return std::nullopt;
  return text;
}

// The bytes of a regular file of at most 1 MiB, as tokens and certificates are.
// NotFound or another error with the path, never with the content.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

// Says what errno, or another such number, means, after what was tried ("cannot
// create") and the path.
absl::Status ErrnoError(absl::string_view action,
                        const std::filesystem::path& path, int error = errno);

// Writes `content` at `offset`, which moves on with what has been written.
// False, with errno, if that fails.
bool WriteAll(int descriptor, absl::string_view content, int64_t& offset);

// Writes a new file and waits until the disk has it. An error if there is one.
absl::Status WriteNewFile(const std::filesystem::path& path,
                          absl::string_view content);

// Waits until the disk has the names in `directory`, where an empty path is the
// working directory; until then a power failure may undo a renaming.
absl::Status FlushDirectory(const std::filesystem::path& directory);

// A new name beside `path` for what is to be renamed to it once it is whole:
// ".path.partial-0123abcd", which readers of the folder pass over.
std::filesystem::path TemporarySibling(const std::filesystem::path& path);

// Makes `content` the whole content of the file, new or not, in one step: after
// a crash at any time it is as before or as after. Writes a sibling whose name
// begins with a dot, flushes it to the disk and renames it. On failure the file
// is as before.
absl::Status ReplaceFile(const std::filesystem::path& path,
                         absl::string_view content);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_WHOLE_FILE_H_
