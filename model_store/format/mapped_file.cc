#include "model_store/format/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace ladder::model_store {

absl::StatusOr<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const int file =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.string(), ": expected a regular file, found a symbolic link"));
  }
  if (file < 0) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot open ", path.string()));
  }
  const absl::Cleanup close_file = [file] { close(file); };

  struct stat status = {};
  if (fstat(file, &status) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot get the size of ", path.string()));
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": expected a regular file, found ",
                     S_ISDIR(status.st_mode) ? "a folder" : "something else"));
  }
  MappedFile mapped;
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return mapped;  // Nothing to map, which mmap refuses to do.
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, /*offset=*/0);
  if (data == MAP_FAILED) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot map ", path.string()));
  }
  mapped.bytes_ = {static_cast<const std::byte*>(data), size};
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace ladder::model_store
