#ifndef LADDER_CLIENT_COMMAND_USAGE_ERROR_H_
#define LADDER_CLIENT_COMMAND_USAGE_ERROR_H_

#include <string>

#include "absl/status/status.h"

namespace ladder::command {

// What a check of CLI11's says of a value: nothing if `status` is ok, else its
// message without the name in front ("k: expected ..."), which CLI11 adds.
std::string UsageError(const absl::Status& status);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_USAGE_ERROR_H_
