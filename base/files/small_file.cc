#include "base/files/small_file.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ladder::base {

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  std::error_code error;
  // Opening a named pipe would wait for a writer.
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a regular file"));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be opened"));
  }
  std::string content(kMaxBytes + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) {
    return absl::UnavailableError(absl::StrCat(path, ": cannot be read"));
  }
  content.resize(static_cast<size_t>(file.gcount()));
  if (content.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected at most ", kMaxBytes, " bytes"));
  }
  content.shrink_to_fit();
  return content;
}

}  // namespace ladder::base
