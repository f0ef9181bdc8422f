#ifndef LADDER_CLIENT_COMMAND_INPUT_VALID_TEXT_H_
#define LADDER_CLIENT_COMMAND_INPUT_VALID_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ladder::command {

// The text with every byte that is not part of valid UTF-8 written as "\xFF".
// Names of files are bytes, but what messages carry must be UTF-8.
std::string ValidText(absl::string_view text);

}  // namespace ladder::command

#endif  // LADDER_CLIENT_COMMAND_INPUT_VALID_TEXT_H_
