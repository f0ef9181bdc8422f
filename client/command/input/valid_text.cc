#include "client/command/input/valid_text.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace ladder::command {
namespace {

// How many bytes the character at the beginning of `text` has; 0 if it is none
// by RFC 3629: cut short, overlong, a surrogate or beyond U+10FFFF.
size_t CharacterLength(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  unsigned code = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80u) return 0;
    code = (code << 6) | (next & 0x3Fu);
  }
  const unsigned least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || is_surrogate ? 0 : length;
}

}  // namespace

std::string ValidText(absl::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) {
      absl::StrAppendFormat(&valid, "\\x%02X",
                            static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    valid.append(text.data(), length);
    text.remove_prefix(length);
  }
  return valid;
}

}  // namespace ladder::command
