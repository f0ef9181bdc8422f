#ifndef LADDER_BASE_TEXT_TEXT_H_
#define LADDER_BASE_TEXT_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace ladder::base {

// `text` fit to be shown: a '?' stands for every control character, which could
// steer a terminal, for every byte that is not UTF-8 and, unless `utf8`, for
// every character beyond ASCII. What comes from files and servers goes through
// here.
std::string PrintableText(absl::string_view text, bool utf8);

// `text` with every byte that is not part of valid UTF-8 written as "\\xFF".
// Names of files may be any bytes, where messages must be UTF-8.
std::string ValidText(absl::string_view text);

// The number of columns that printable UTF-8 takes, one for each character.
size_t TextWidth(absl::string_view text);

// The beginning of `text` in at most `width` columns. What was cut off shows as
// "…", or "~" unless `utf8`.
std::string CutText(absl::string_view text, size_t width, bool utf8);

}  // namespace ladder::base

#endif  // LADDER_BASE_TEXT_TEXT_H_
