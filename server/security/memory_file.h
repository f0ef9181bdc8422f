#ifndef LADDER_SERVER_SECURITY_MEMORY_FILE_H_
#define LADDER_SERVER_SECURITY_MEMORY_FILE_H_

#include <ctime>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ladder::server {

// A file in memory, with a path for readers of this process that know only
// paths. Its content is replaced as a whole: who opens the path sees the old or
// the new one. Every content has another modification time, in whole seconds,
// so that a reader who looks at it before and after knows whether it has
// changed in between.
//
// The descriptor stays open until the process ends: a reader may still have the
// path when its owner is gone, and must never find another file there.
class MemoryFile {
 public:
  static absl::StatusOr<MemoryFile> Create(absl::string_view content);

  // An error changes nothing. Not from two threads at once.
  absl::Status Replace(absl::string_view content);

  const std::string& path() const { return path_; }

 private:
  explicit MemoryFile(int descriptor);

  int descriptor_;
  std::time_t generation_ = 1;  // The modification time.
  std::string path_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SECURITY_MEMORY_FILE_H_
