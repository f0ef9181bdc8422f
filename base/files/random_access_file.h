#ifndef LADDER_BASE_FILES_RANDOM_ACCESS_FILE_H_
#define LADDER_BASE_FILES_RANDOM_ACCESS_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ladder::base {

// A file that is read here and there. Unlike a mapping it survives being cut
// short meanwhile. Movable; reading is thread-safe.
class RandomAccessFile {
 public:
  // Follows symbolic links. A fault (fault.h) if it is missing, unreadable or
  // not a regular file; else what errno says. Messages name the path.
  static absl::StatusOr<RandomAccessFile> Open(
      const std::filesystem::path& path);

  // Takes over an open file of so many bytes.
  RandomAccessFile(std::string path, int descriptor, int64_t size);
  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile& operator=(RandomAccessFile&& other) noexcept;
  ~RandomAccessFile();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  // When it was opened, in bytes.
  int64_t size() const { return size_; }

  // Fills `bytes` from `offset` on, or less at the end of the file; returns how
  // many were read. What errno says if that fails, naming the path.
  absl::StatusOr<size_t> ReadSome(int64_t offset,
                                  std::span<std::byte> bytes) const;

  // Does as ReadSome, but it is a fault if the file ends before `bytes` are
  // full.
  absl::Status ReadAll(int64_t offset, std::span<std::byte> bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

// The whole contents of a file. A fault also if it has more than `max_bytes`.
absl::StatusOr<std::vector<std::byte>> ReadWholeFile(
    const std::filesystem::path& path, int64_t max_bytes);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_RANDOM_ACCESS_FILE_H_
