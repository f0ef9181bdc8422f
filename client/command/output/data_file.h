#ifndef LADDER_CLIENT_COMMAND_OUTPUT_DATA_FILE_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_DATA_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/files/random_access_file.h"

namespace ladder::client {

// Marks an error as one of writing what was computed, whatever its code: no
// server has a part in it, and it would meet the next group as well.
absl::Status WriteError(absl::Status status);
bool IsWriteError(const absl::Status& status);

// A file that grows at its end. Errors are what errno says, with the path, and
// write errors; a full disk is ResourceExhausted and says what to do. Movable;
// one caller at a time.
class DataFile {
 public:
  enum class Mode {
    kNew,       // AlreadyExists if it is there already.
    kExisting,  // NotFound if it is not there.
    kAny,       // Takes it as it is, or makes a new one.
  };
  static absl::StatusOr<DataFile> Open(const std::filesystem::path& path,
                                       Mode mode);

  // A file without a name in the same folder as `path`: gone with this object,
  // or with the process, whatever ends it.
  static absl::StatusOr<DataFile> OpenTemporary(
      const std::filesystem::path& path);

  const std::string& path() const { return file_.path(); }
  int64_t size() const { return size_; }

  // False if another process holds it; given up with this object.
  absl::StatusOr<bool> TryLock();

  // On failure some of it may have been written and counts for `size`.
  absl::Status Append(absl::string_view text);
  // Cuts it to `size` bytes, which must not be more than it has.
  absl::Status Truncate(int64_t size);
  // Waits until the disk has what was written.
  absl::Status Sync();
  // The text from `offset` on, of `length` bytes or less at the end.
  absl::StatusOr<std::string> Read(int64_t offset, size_t length) const;

 private:
  // Takes over an open file.
  DataFile(std::string path, int descriptor);

  base::RandomAccessFile file_;
  int64_t size_ = 0;
};

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_DATA_FILE_H_
