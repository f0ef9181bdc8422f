#ifndef LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_
#define LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "base/files/random_access_file.h"
#include "routing/execution.h"

namespace ladder::model_store {

// A file's bytes in memory of their own: whatever happens to the file later,
// what was checked is what is used. Not mapped, because a mapping follows the
// file, and ends the process where that has been cut short. Movable.
class FileBytes {
 public:
  // Reads all of `path`; errors as OpenRegularFile and the other Read.
  static absl::StatusOr<FileBytes> Read(const std::filesystem::path& path);

  // Reads as many bytes as `file` had when it was opened, in pieces that run in
  // parallel. InvalidArgument, naming the path, if it has become shorter;
  // ResourceExhausted if there is no memory for it; Cancelled if
  // `execution.stop` was requested.
  static absl::StatusOr<FileBytes> Read(const base::RandomAccessFile& file,
                                        const routing::Execution& execution);

  FileBytes() = default;
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit FileBytes(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::span<std::byte> bytes_;
};

// Opens a file to be read. NotFound if there is none; InvalidArgument if it is
// not a regular file (symbolic links are refused, so that a bundle cannot point
// outside itself); else what errno says. Messages name the path.
absl::StatusOr<base::RandomAccessFile> OpenRegularFile(
    const std::filesystem::path& path);

// The SHA-256 digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const std::byte> bytes);

// The same of bytes that may be very many: Cancelled once `stop` is requested.
absl::StatusOr<std::string> Sha256(std::span<const std::byte> bytes,
                                   const std::stop_token& stop);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_
