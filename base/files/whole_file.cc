#include "base/files/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace ladder::base {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  constexpr uintmax_t kMaxBytes = uintmax_t{1} << 20;
  std::error_code error;
  // Opening a named pipe would wait for a writer.
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  }
  if (!fs::is_regular_file(status)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a regular file"));
  }
  if (fs::file_size(path, error) > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected at most ", kMaxBytes, " bytes"));
  }
  errno = 0;
  std::optional<std::string> content = ReadText(path);
  if (content.has_value()) return *std::move(content);
  return ErrnoError("cannot read", path, errno == 0 ? EIO : errno);
}

absl::Status ErrnoError(absl::string_view action, const fs::path& path,
                        int error) {
  return absl::ErrnoToStatus(error, absl::StrCat(action, " ", path.string()));
}

bool WriteAll(int descriptor, absl::string_view content, int64_t& offset) {
  while (!content.empty()) {
    const ssize_t written =
        pwrite(descriptor, content.data(), content.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    offset += written;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

absl::Status WriteNewFile(const fs::path& path, absl::string_view content) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return ErrnoError("cannot create", path);
  const absl::Cleanup close_file = [file] { close(file); };
  int64_t offset = 0;
  if (!WriteAll(file, content, offset)) return ErrnoError("cannot write", path);
  if (fsync(file) != 0) return ErrnoError("cannot flush", path);
  return absl::OkStatus();
}

absl::Status FlushDirectory(const fs::path& directory) {
  if (directory.empty()) return FlushDirectory(".");
  const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return ErrnoError("cannot open", directory);
  const absl::Cleanup close_file = [file] { close(file); };
  if (fsync(file) != 0) return ErrnoError("cannot flush", directory);
  return absl::OkStatus();
}

fs::path TemporarySibling(const fs::path& path) {
  std::random_device random;
  return path.parent_path() / absl::StrFormat(".%s.partial-%08x",
                                              path.filename().string(),
                                              static_cast<uint32_t>(random()));
}

absl::Status ReplaceFile(const fs::path& path, absl::string_view content) {
  const fs::path temporary = TemporarySibling(path);
  absl::Cleanup remove_temporary = [&temporary] { unlink(temporary.c_str()); };
  LADDER_RETURN_IF_ERROR(WriteNewFile(temporary, content));
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return ErrnoError("cannot replace", path);
  }
  std::move(remove_temporary).Cancel();
  return FlushDirectory(path.parent_path());
}

}  // namespace ladder::base
