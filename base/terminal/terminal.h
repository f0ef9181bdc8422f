#ifndef LADDER_BASE_TERMINAL_TERMINAL_H_
#define LADDER_BASE_TERMINAL_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace ladder::base {

// The place that text is written for. The defaults are a file or a pipe.
struct Terminal {
  size_t columns = 0;  // 0: no terminal, so that lines may have any length.
  size_t rows = 0;     // 0: no terminal.
  bool utf8 = true;    // Else ASCII only.
  bool colour = false;
};

// True if `fd` is a terminal that a cursor can be moved in.
bool IsTerminal(int fd);

// 0 if `fd` is no terminal.
size_t TerminalWidth(int fd);

// Describes what stands behind `fd`, by its device and by the environment:
// LC_ALL, LC_CTYPE and LANG for UTF-8, NO_COLOR against colours.
Terminal DescribeTerminal(int fd);

enum class Style { kPlain, kBold, kDim, kGood, kWarning, kBad };

// `text` in a style, where there are colours.
std::string Styled(absl::string_view text, Style style,
                   const Terminal& terminal);

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_TERMINAL_H_
