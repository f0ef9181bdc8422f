#include "base/files/random_access_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::base {
namespace {

// Errors of one file are the data's fault; such as too many open files are the
// machine's, and would come again with the next file.
absl::Status OpenError(int error, const std::string& path) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Fault("missing file", absl::StrCat(path, ": no such file"));
    case EACCES:
    case ELOOP:
    case ENAMETOOLONG:
      return Fault("unreadable file",
                   absl::ErrnoToStatus(error, path).message());
    default:
      return ErrnoError("cannot open", path, error);
  }
}

}  // namespace

absl::StatusOr<RandomAccessFile> RandomAccessFile::Open(
    const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return OpenError(errno, path.string());
  RandomAccessFile file(path.string(), descriptor, /*size=*/0);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return ErrnoError("cannot get the size of", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Fault(
        "unreadable file",
        absl::StrCat(file.path(), ": expected a regular file, found ",
                     S_ISDIR(status.st_mode) ? "a folder" : "something else"));
  }
  file.size_ = status.st_size;
  return file;
}

RandomAccessFile::RandomAccessFile(std::string path, int descriptor,
                                   int64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

RandomAccessFile::RandomAccessFile(RandomAccessFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

RandomAccessFile& RandomAccessFile::operator=(
    RandomAccessFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

RandomAccessFile::~RandomAccessFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<size_t> RandomAccessFile::ReadSome(
    int64_t offset, std::span<std::byte> bytes) const {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = pread(descriptor_, bytes.data() + done,
                                bytes.size() - done, offset + int64_t(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError("cannot read", path_);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

absl::Status RandomAccessFile::ReadAll(int64_t offset,
                                       std::span<std::byte> bytes) const {
  LADDER_ASSIGN_OR_RETURN(const size_t count, ReadSome(offset, bytes));
  if (count == bytes.size()) return absl::OkStatus();
  return Fault("cut short",
               absl::StrCat(path_, ": expected ", bytes.size(), " bytes at ",
                            offset, ", found ", count));
}

absl::StatusOr<std::vector<std::byte>> ReadWholeFile(
    const std::filesystem::path& path, int64_t max_bytes) {
  LADDER_ASSIGN_OR_RETURN(const RandomAccessFile file,
                          RandomAccessFile::Open(path));
  if (file.size() > max_bytes) {
    return Fault("too_large",
                 absl::StrCat(file.path(), ": expected at most ", max_bytes,
                              " bytes, found ", file.size()));
  }
  std::vector<std::byte> bytes(static_cast<size_t>(file.size()));
  LADDER_RETURN_IF_ERROR(file.ReadAll(/*offset=*/0, bytes));
  return bytes;
}

}  // namespace ladder::base
