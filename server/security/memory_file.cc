#include "server/security/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

namespace ladder::server {
namespace {

// Opens a new file with the content and the modification time.
absl::StatusOr<int> NewDescriptor(absl::string_view content,
                                  std::time_t modification_time) {
  const int descriptor = memfd_create("ladder-tls", MFD_CLOEXEC);
  if (descriptor < 0) {
    return absl::ErrnoToStatus(errno, "memory file: memfd_create");
  }
  absl::Status status;
  int64_t offset = 0;
  if (!base::WriteAll(descriptor, content, offset)) {
    status = absl::ErrnoToStatus(errno, "memory file: write");
  }
  const timespec times[2] = {{.tv_sec = modification_time, .tv_nsec = 0},
                             {.tv_sec = modification_time, .tv_nsec = 0}};
  if (status.ok() && fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) {
    status = absl::ErrnoToStatus(errno, "memory file: fchmod");
  }
  if (status.ok() && futimens(descriptor, times) != 0) {
    status = absl::ErrnoToStatus(errno, "memory file: futimens");
  }
  if (!status.ok()) {
    close(descriptor);
    return status;
  }
  return descriptor;
}

}  // namespace

MemoryFile::MemoryFile(int descriptor)
    : descriptor_(descriptor),
      path_(absl::StrCat("/proc/self/fd/", descriptor)) {}

absl::StatusOr<MemoryFile> MemoryFile::Create(absl::string_view content) {
  LADDER_ASSIGN_OR_RETURN(const int descriptor, NewDescriptor(content, 1));
  return MemoryFile(descriptor);
}

absl::Status MemoryFile::Replace(absl::string_view content) {
  LADDER_ASSIGN_OR_RETURN(const int fresh,
                          NewDescriptor(content, generation_ + 1));
  // From here on the path leads to the new file, without a moment in between.
  const int replaced = dup3(fresh, descriptor_, O_CLOEXEC);
  const int error = errno;
  close(fresh);
  if (replaced < 0) return absl::ErrnoToStatus(error, "memory file: dup3");
  ++generation_;
  return absl::OkStatus();
}

}  // namespace ladder::server
