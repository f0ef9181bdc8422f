#include "client/command/usage_error.h"

#include "absl/strings/string_view.h"

namespace ladder::command {

std::string UsageError(const absl::Status& status) {
  const absl::string_view message = status.message();
  const size_t end_of_name = message.find(": ");
  return std::string(end_of_name == absl::string_view::npos
                         ? message
                         : message.substr(end_of_name + 2));
}

}  // namespace ladder::command
