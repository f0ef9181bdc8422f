#ifndef LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_
#define LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace ladder::model_store {

// A file's bytes, mapped read-only into memory. Movable; unmaps in its
// destructor. The file must not be cut short meanwhile: bundles are replaced by
// renaming, never written in place.
class MappedFile {
 public:
  // NotFound if there is no such file; InvalidArgument if it is not a regular
  // file (symbolic links are refused, so that a bundle cannot point outside
  // itself); else what errno says. Messages name the path.
  static absl::StatusOr<MappedFile> Open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The SHA-256 digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256(std::span<const std::byte> bytes);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_FILE_BYTES_H_
