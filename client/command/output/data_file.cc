#include "client/command/output/data_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/durable_file.h"

namespace ladder::client {
namespace {

absl::Status ErrnoError(int error, absl::string_view action,
                        absl::string_view path) {
  if (error == ENOSPC || error == EDQUOT) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot ", action, " ", path,
                     ": the disk is full; free some space and run the same "
                     "command with --resume"));
  }
  return absl::ErrnoToStatus(error, absl::StrCat("cannot ", action, " ", path));
}

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

absl::StatusOr<DataFile> DataFile::Open(const std::filesystem::path& path,
                                        Mode mode) {
  int flags = O_RDWR | O_CLOEXEC;
  if (mode == Mode::kNew) flags |= O_CREAT | O_EXCL;
  if (mode == Mode::kAny) flags |= O_CREAT;
  const int descriptor = open(path.c_str(), flags, 0666);
  if (descriptor < 0) return ErrnoError(errno, "open", path.string());
  DataFile file(path.string(), descriptor, /*size=*/0);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return ErrnoError(errno, "get the size of", file.path_);
  }
  file.size_ = status.st_size;
  return file;
}

absl::StatusOr<DataFile> DataFile::OpenTemporary(
    const std::filesystem::path& path) {
  std::string name =
      FolderOf(path) /
      absl::StrCat(".", path.filename().string(), ".spool-XXXXXX");
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return ErrnoError(errno, "create", name);
  DataFile file(std::move(name), descriptor, /*size=*/0);
  if (unlink(file.path_.c_str()) != 0) {
    return ErrnoError(errno, "unlink", file.path_);
  }
  return file;
}

DataFile::DataFile(std::string path, int descriptor, int64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

DataFile::DataFile(DataFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

DataFile& DataFile::operator=(DataFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

DataFile::~DataFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<bool> DataFile::TryLock() {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return ErrnoError(errno, "lock", path_);
}

absl::Status DataFile::Append(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t count = pwrite(descriptor_, text.data(), text.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(errno, "write", path_);
    size_ += count;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status DataFile::Truncate(int64_t size) {
  if (size == size_) return absl::OkStatus();
  if (ftruncate(descriptor_, size) != 0) {
    return ErrnoError(errno, "truncate", path_);
  }
  size_ = size;
  return absl::OkStatus();
}

absl::Status DataFile::Sync() {
  if (fdatasync(descriptor_) != 0) return ErrnoError(errno, "flush", path_);
  return absl::OkStatus();
}

absl::StatusOr<std::string> DataFile::Read(int64_t offset,
                                           size_t length) const {
  std::string text(length, '\0');
  size_t done = 0;
  while (done < length) {
    const ssize_t count = pread(descriptor_, text.data() + done, length - done,
                                offset + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(errno, "read", path_);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  text.resize(done);
  return text;
}

absl::Status SyncFolderOf(const std::filesystem::path& path) {
  return base::FlushDirectory(FolderOf(path));
}

}  // namespace ladder::client
