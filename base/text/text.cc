#include "base/text/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::base {
namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// Control characters, and those that turn the direction of what follows.
bool SteersTerminal(uint32_t code) {
  return IsControl(code) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// UTF-8 without control characters of ASCII.
bool IsPlain(absl::string_view text) {
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    if (c.num_bytes == 0 ||
        absl::ascii_iscntrl(static_cast<uint8_t>(text[0]))) {
      return false;
    }
    text.remove_prefix(c.num_bytes);
  }
  return true;
}

}  // namespace

Character FirstCharacter(absl::string_view text) {
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {.code = lead, .num_bytes = 1};
  const size_t num_bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < num_bytes) return {};
  uint32_t code = lead & (0x7fu >> num_bytes);
  for (const char c : text.substr(1, num_bytes - 1)) {
    if (!IsContinuation(c)) return {};
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3fu);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kSmallest[num_bytes] || code > 0x10ffff || is_surrogate) return {};
  return {.code = code, .num_bytes = num_bytes};
}

bool IsControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

absl::Status CheckText(absl::string_view what, absl::string_view text,
                       size_t max_bytes) {
  if (text.size() <= max_bytes && IsPlain(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected at most ", max_bytes,
                   " bytes of UTF-8 without control characters, found ",
                   Quoted(text, 40), " (", text.size(), " bytes)"));
}

std::string Quoted(absl::string_view text, size_t max_bytes) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, max_bytes)),
                      text.size() > max_bytes ? "...\"" : "\"");
}

std::string PrintableText(absl::string_view text, bool utf8) {
  std::string printable;
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    const bool shown = c.num_bytes > 0 && !SteersTerminal(c.code) &&
                       (utf8 || c.num_bytes == 1);
    const size_t num_bytes = std::max<size_t>(1, c.num_bytes);
    absl::StrAppend(&printable, shown ? text.substr(0, num_bytes) : "?");
    text.remove_prefix(num_bytes);
  }
  return printable;
}

std::string ValidText(absl::string_view text, size_t max_bytes) {
  constexpr size_t kEscaped = 4;  // "\\xFF"
  std::string valid;
  valid.reserve(std::min(text.size(), max_bytes));
  while (!text.empty()) {
    const size_t num_bytes = FirstCharacter(text).num_bytes;
    const size_t more = num_bytes == 0 ? kEscaped : num_bytes;
    if (more > max_bytes - valid.size()) break;
    if (num_bytes == 0) {
      absl::StrAppendFormat(&valid, "\\x%02X", static_cast<uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    absl::StrAppend(&valid, text.substr(0, num_bytes));
    text.remove_prefix(num_bytes);
  }
  return valid;
}

size_t TextWidth(absl::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(
                           text.begin(), text.end(), IsContinuation));
}

std::string CutText(absl::string_view text, size_t width, bool utf8) {
  if (TextWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t end = 0;
  for (size_t kept = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && kept++ == width - 1) break;
  }
  return absl::StrCat(text.substr(0, end), utf8 ? "…" : "~");
}

}  // namespace ladder::base
