#ifndef LADDER_BASE_FILES_SMALL_FILE_H_
#define LADDER_BASE_FILES_SMALL_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace ladder::base {

// The bytes of a regular file of at most 1 MiB, as tokens and certificates are.
// NotFound or another error with the path, never with the content.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path);

}  // namespace ladder::base

#endif  // LADDER_BASE_FILES_SMALL_FILE_H_
