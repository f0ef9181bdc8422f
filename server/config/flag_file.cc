#include "server/config/flag_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/config/flag_error.h"

namespace ladder::server {
namespace {

std::vector<std::string> CutWords(absl::string_view line) {
  const size_t end = line.find_first_of("= \t");
  if (end == absl::string_view::npos || line[end] == '=') {
    return {std::string(line)};
  }
  return {std::string(line.substr(0, end)),
          std::string(absl::StripLeadingAsciiWhitespace(line.substr(end)))};
}

}  // namespace

absl::StatusOr<std::vector<FlagLine>> ReadFlagFile(const std::string& path) {
  std::error_code error;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a file that can be read, got ", Quoted(path)));
  }
  std::vector<FlagLine> lines;
  std::string text;
  for (size_t number = 1; std::getline(file, text); ++number) {
    const absl::string_view line = absl::StripAsciiWhitespace(text);
    if (line.empty() || line[0] == '#') continue;
    lines.push_back({.number = number, .arguments = CutWords(line)});
  }
  return lines;
}

}  // namespace ladder::server
