#include "model_store/format/file_bytes.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/macros.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::model_store {
namespace {

// How much is read, or hashed, between two looks at whether to stop.
constexpr size_t kPieceBytes = size_t{4} << 20;

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Read(const std::filesystem::path& path) {
  LADDER_ASSIGN_OR_RETURN(const base::RandomAccessFile file,
                          OpenRegularFile(path));
  return Read(file, /*execution=*/{});
}

absl::StatusOr<FileBytes> FileBytes::Read(const base::RandomAccessFile& file,
                                          const routing::Execution& execution) {
  const auto size = static_cast<size_t>(file.size());
  if (size == 0) return FileBytes();  // mmap refuses to map nothing.
  // Memory of its own, which goes back to the system at once, in pages that are
  // large where the system has them: most of the time would be spent on faults.
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(
        file.path(), ": expected memory for ", size, " bytes, found none"));
  }
  madvise(data, size, MADV_HUGEPAGE);
  FileBytes bytes({static_cast<std::byte*>(data), size});
  std::vector<absl::Status> results((size + kPieceBytes - 1) / kPieceBytes);
  LADDER_RETURN_IF_ERROR(execution.ForEach(results.size(), [&](size_t i) {
    const size_t begin = i * kPieceBytes;
    results[i] = file.ReadAll(
        static_cast<int64_t>(begin),
        bytes.bytes_.subspan(begin, std::min(kPieceBytes, size - begin)));
  }));
  for (const absl::Status& result : results) LADDER_RETURN_IF_ERROR(result);
  return bytes;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileBytes::~FileBytes() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

absl::StatusOr<base::RandomAccessFile> OpenRegularFile(
    const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0 && errno == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.string(), ": expected a regular file, found a symbolic link"));
  }
  if (descriptor < 0) return base::ErrnoError("cannot open", path);
  struct stat status = {};
  const int error = fstat(descriptor, &status) == 0 ? 0 : errno;
  base::RandomAccessFile file(path.string(), descriptor, status.st_size);
  if (error != 0) {
    return base::ErrnoError("cannot get the size of", path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.string(), ": expected a regular file, found ",
                     S_ISDIR(status.st_mode) ? "a folder" : "something else"));
  }
  return file;
}

std::string Sha256(std::span<const std::byte> bytes) {
  return *Sha256(bytes, /*stop=*/{});
}

absl::StatusOr<std::string> Sha256(std::span<const std::byte> bytes,
                                   const std::stop_token& stop) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  ABSL_HARDENING_ASSERT(context != nullptr);
  int succeeded = EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  while (!bytes.empty()) {
    if (stop.stop_requested()) {
      return absl::CancelledError("stopped by the caller");
    }
    const auto piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    succeeded &= EVP_DigestUpdate(context.get(), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  succeeded &= EVP_DigestFinal_ex(context.get(), digest.data(), &size);
  ABSL_HARDENING_ASSERT(succeeded == 1);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

}  // namespace ladder::model_store
