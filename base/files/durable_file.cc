#include "base/files/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::base {

namespace fs = std::filesystem;

absl::Status ErrnoError(absl::string_view action, const fs::path& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(action, " ", path.string()));
}

absl::Status WriteNewFile(const fs::path& path, absl::string_view content) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return ErrnoError("cannot create", path);
  const absl::Cleanup close_file = [file] { close(file); };
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError("cannot write", path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(file) != 0) return ErrnoError("cannot flush", path);
  return absl::OkStatus();
}

absl::Status FlushDirectory(const fs::path& directory) {
  const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return ErrnoError("cannot open", directory);
  const absl::Cleanup close_file = [file] { close(file); };
  if (fsync(file) != 0) return ErrnoError("cannot flush", directory);
  return absl::OkStatus();
}

absl::Status ReplaceFile(const fs::path& path, absl::string_view content) {
  const fs::path directory = path.has_parent_path() ? path.parent_path() : ".";
  std::random_device random;
  const fs::path temporary =
      directory / absl::StrFormat(".%s.partial-%08x", path.filename().string(),
                                  static_cast<uint32_t>(random()));
  absl::Cleanup remove_temporary = [&temporary] { unlink(temporary.c_str()); };
  absl::Status status = WriteNewFile(temporary, content);
  if (!status.ok()) return status;
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return ErrnoError("cannot replace", path);
  }
  std::move(remove_temporary).Cancel();
  return FlushDirectory(directory);
}

}  // namespace ladder::base
