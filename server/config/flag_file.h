#ifndef LADDER_SERVER_CONFIG_FLAG_FILE_H_
#define LADDER_SERVER_CONFIG_FLAG_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ladder::server {

// A line with a flag, as arguments: "--name=value", "--name", or "--name" and
// "value".
struct FlagLine {
  size_t number = 0;  // From 1.
  std::vector<std::string> arguments = {};
};

// The lines of a file of flags but for empty ones and those that begin with a
// '#'. What is between a name and the end of its line is its value: there are
// no quotes. InvalidArgument, naming the file, if it cannot be read.
absl::StatusOr<std::vector<FlagLine>> ReadFlagFile(const std::string& path);

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_FLAG_FILE_H_
