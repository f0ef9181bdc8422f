#ifndef LADDER_BASE_TEXT_TEXT_H_
#define LADDER_BASE_TEXT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ladder::base {

// A character of UTF-8 as RFC 3629 defines it.
struct Character {
  uint32_t code = 0;
  size_t num_bytes = 0;  // 0 if this is not UTF-8.
};

// The character that `text`, which must not be empty, begins with.
Character FirstCharacter(absl::string_view text);

// True if it is a control character: of ASCII, or one of U+0080 to U+009F,
// which terminals obey as well.
bool IsControl(uint32_t code);

// InvalidArgument, naming `what`, unless `text` is UTF-8 of at most `max_bytes`
// without control characters of ASCII.
absl::Status CheckText(absl::string_view what, absl::string_view text,
                       size_t max_bytes);

// The first `max_bytes` of `text` in quotes, with "..." for the rest, safe to
// stand in a message: what is not printable ASCII is escaped.
std::string Quoted(absl::string_view text, size_t max_bytes = 200);

// `text` fit to be shown: a '?' stands for every control character, which could
// steer a terminal, for every byte that is not UTF-8 and, unless `utf8`, for
// every character beyond ASCII. What comes from files and servers goes through
// here.
std::string PrintableText(absl::string_view text, bool utf8);

// `text` with every byte that is not part of valid UTF-8 written as "\\xFF", up
// to the last character, or byte so written, that fits into `max_bytes`. Names
// of files may be any bytes, where messages must be UTF-8.
std::string ValidText(absl::string_view text,
                      size_t max_bytes = absl::string_view::npos);

// The number of columns that printable UTF-8 takes, one for each character.
size_t TextWidth(absl::string_view text);

// The beginning of `text` in at most `width` columns. What was cut off shows as
// "…", or "~" unless `utf8`.
std::string CutText(absl::string_view text, size_t width, bool utf8);

}  // namespace ladder::base

#endif  // LADDER_BASE_TEXT_TEXT_H_
