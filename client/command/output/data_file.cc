#include "client/command/output/data_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <span>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::client {
namespace {

constexpr char kWritePayload[] = "ladder.client.WriteError";

absl::Status ErrnoError(int error, absl::string_view action,
                        absl::string_view path) {
  if (error == ENOSPC || error == EDQUOT) {
    return WriteError(absl::ResourceExhaustedError(
        absl::StrCat("cannot ", action, " ", path,
                     ": the disk is full; free some space and run the same "
                     "command with --resume")));
  }
  return WriteError(
      absl::ErrnoToStatus(error, absl::StrCat("cannot ", action, " ", path)));
}

}  // namespace

absl::Status WriteError(absl::Status status) {
  status.SetPayload(kWritePayload, absl::Cord());
  return status;
}

bool IsWriteError(const absl::Status& status) {
  return status.GetPayload(kWritePayload).has_value();
}

absl::StatusOr<DataFile> DataFile::Open(const std::filesystem::path& path,
                                        Mode mode) {
  int flags = O_RDWR | O_CLOEXEC;
  if (mode == Mode::kNew) flags |= O_CREAT | O_EXCL;
  if (mode == Mode::kAny) flags |= O_CREAT;
  const int descriptor = open(path.c_str(), flags, 0666);
  if (descriptor < 0) return ErrnoError(errno, "open", path.string());
  DataFile file(path.string(), descriptor);
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) {
    return ErrnoError(errno, "get the size of", file.path());
  }
  file.size_ = status.st_size;
  return file;
}

absl::StatusOr<DataFile> DataFile::OpenTemporary(
    const std::filesystem::path& path) {
  std::string name =
      path.parent_path() /
      absl::StrCat(".", path.filename().string(), ".spool-XXXXXX");
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return ErrnoError(errno, "create", name);
  DataFile file(std::move(name), descriptor);
  if (unlink(file.path().c_str()) != 0) {
    return ErrnoError(errno, "unlink", file.path());
  }
  return file;
}

DataFile::DataFile(std::string path, int descriptor)
    : file_(std::move(path), descriptor, /*size=*/0) {}

absl::StatusOr<bool> DataFile::TryLock() {
  if (flock(file_.descriptor(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  return ErrnoError(errno, "lock", path());
}

absl::Status DataFile::Append(absl::string_view text) {
  if (base::WriteAll(file_.descriptor(), text, size_)) return absl::OkStatus();
  return ErrnoError(errno, "write", path());
}

absl::Status DataFile::Truncate(int64_t size) {
  if (size == size_) return absl::OkStatus();
  if (ftruncate(file_.descriptor(), size) != 0) {
    return ErrnoError(errno, "truncate", path());
  }
  size_ = size;
  return absl::OkStatus();
}

absl::Status DataFile::Sync() {
  if (fdatasync(file_.descriptor()) != 0)
    return ErrnoError(errno, "flush", path());
  return absl::OkStatus();
}

absl::StatusOr<std::string> DataFile::Read(int64_t offset,
                                           size_t length) const {
  std::string text(length, '\0');
  LADDER_ASSIGN_OR_RETURN(
      const size_t count,
      file_.ReadSome(offset, std::as_writable_bytes(std::span(text))));
  text.resize(count);
  return text;
}

}  // namespace ladder::client
