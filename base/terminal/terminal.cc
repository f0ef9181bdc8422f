#include "base/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ladder::base {
namespace {

absl::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The first variable that is not empty decides, as for setlocale(3).
bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = absl::AsciiStrToLower(Environment(name));
    if (locale.empty()) continue;
    return absl::StrContains(locale, "utf-8") ||
           absl::StrContains(locale, "utf8");
  }
  return false;
}

// A terminal whose size nobody has told has the usual one.
winsize SizeOf(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) size = {};
  if (size.ws_col == 0) size.ws_col = 80;
  if (size.ws_row == 0) size.ws_row = 24;
  return size;
}

absl::string_view Code(Style style) {
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kGood:
      return "1;32";
    case Style::kWarning:
      return "1;33";
    case Style::kBad:
      return "1;31";
  }
  return "";
}

}  // namespace

bool IsTerminal(int fd) {
  return isatty(fd) != 0 && Environment("TERM") != "dumb";
}

size_t TerminalWidth(int fd) { return IsTerminal(fd) ? SizeOf(fd).ws_col : 0; }

Terminal DescribeTerminal(int fd) {
  Terminal terminal = {.utf8 = LocaleIsUtf8()};
  if (IsTerminal(fd)) {
    const winsize size = SizeOf(fd);
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row;
    terminal.colour = Environment("NO_COLOR").empty();
  }
  return terminal;
}

std::string Styled(absl::string_view text, Style style,
                   const Terminal& terminal) {
  if (!terminal.colour || style == Style::kPlain || text.empty()) {
    return std::string(text);
  }
  return absl::StrCat("\x1b[", Code(style), "m", text, "\x1b[0m");
}

}  // namespace ladder::base
