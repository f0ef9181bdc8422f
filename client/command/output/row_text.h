#ifndef LADDER_CLIENT_COMMAND_OUTPUT_ROW_TEXT_H_
#define LADDER_CLIENT_COMMAND_OUTPUT_ROW_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ladder::client {

// `text` of a server's for a CSV file, which may be looked at on a terminal:
// control characters, which could steer it, are written as "\\x1B".
std::string VisibleText(absl::string_view text);

// Appends a string in quotes, with control characters escaped. What is not
// UTF-8 becomes U+FFFD.
void AppendJsonString(absl::string_view text, std::string& row);

// The text as AppendJsonString leaves it to readers.
std::string ReadableText(absl::string_view text);

// Append the shortest decimal that reads back to the same number; null if it is
// not finite, for which JSON has no number.
void AppendJsonNumber(float number, std::string& row);
void AppendJsonNumber(double number, std::string& row);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_OUTPUT_ROW_TEXT_H_
