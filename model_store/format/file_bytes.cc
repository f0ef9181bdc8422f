#include "model_store/format/file_bytes.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/base/macros.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"

namespace ladder::model_store {

absl::StatusOr<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const int file =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 && errno == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.string(), ": expected a regular file, found a symbolic link"));
  }
  if (file < 0) return base::ErrnoError("cannot open", path);
  const absl::Cleanup close_file = [file] { close(file); };

  struct stat status = {};
  if (fstat(file, &status) != 0) {
    return base::ErrnoError("cannot get the size of", path);
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
  if (data == MAP_FAILED) return base::ErrnoError("cannot map", path);
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

std::string Sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  const int succeeded = EVP_Digest(bytes.data(), bytes.size(), digest.data(),
                                   &size, EVP_sha256(), /*impl=*/nullptr);
  ABSL_HARDENING_ASSERT(succeeded == 1);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

}  // namespace ladder::model_store
