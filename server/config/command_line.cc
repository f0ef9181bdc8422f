#include "server/config/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "base/system/version.h"
#include "base/text/text.h"
#include "server/config/server_flags.h"

namespace ladder::server {
namespace {

constexpr absl::string_view kVariablePrefix = "LADDER_";

// "--name=value", cut.
struct Token {
  std::string name;
  std::optional<std::string> value;
};

Token CutFlag(absl::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == absl::string_view::npos) return {std::string(argument), {}};
  return {std::string(argument.substr(0, equals)),
          std::string(argument.substr(equals + 1))};
}

// How many insertions, deletions and replacements make `b` of `a`
// (Levenshtein).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The most similar of `names`; empty if none is similar enough to be meant.
std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& names) {
  // A third of the letters may be wrong. What is longer than this is no slip.
  constexpr size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return {};
  size_t smallest = name.size() / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : names) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

// `name` is not one of `flags`, but perhaps like one.
absl::Status UnknownFlagError(absl::string_view name,
                              const std::vector<std::string>& flags) {
  const std::string nearest = NearestName(name, flags);
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a known flag",
      nearest.empty() ? "" : absl::StrCat(", perhaps ", nearest), ", got ",
      base::Quoted(name), nearest.empty() ? " (--help lists all)" : ""));
}

// A line with a flag, as arguments: "--name=value", "--name", or "--name" and
// "value".
struct FlagLine {
  size_t number = 0;  // From 1.
  std::vector<std::string> arguments = {};
};

std::vector<std::string> CutWords(absl::string_view line) {
  const size_t end = line.find_first_of("= \t");
  if (end == absl::string_view::npos || line[end] == '=') {
    return {std::string(line)};
  }
  return {std::string(line.substr(0, end)),
          std::string(absl::StripLeadingAsciiWhitespace(line.substr(end)))};
}

// The lines of a file of flags but for empty ones and those that begin with a
// '#'. What is between a name and the end of its line is its value: there are
// no quotes. InvalidArgument, naming the file, if it cannot be read.
absl::StatusOr<std::vector<FlagLine>> ReadFlagFile(const std::string& path) {
  const std::optional<std::string> text = base::ReadText(path);
  if (!text.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a file that can be read, got ", base::Quoted(path)));
  }
  std::vector<FlagLine> lines;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    lines.push_back({.number = number, .arguments = CutWords(line)});
  }
  return lines;
}

// Fills a configuration flag by flag.
class ConfigBuilder {
 public:
  ConfigBuilder() = default;
  ConfigBuilder(const ConfigBuilder&) = delete;
  ConfigBuilder& operator=(const ConfigBuilder&) = delete;

  const ServerConfig& config() const { return config_; }
  const std::vector<Flag>& flags() const { return flags_; }

  absl::Status TakeEnvironment(const Environment& environment) {
    for (const Flag& flag : flags_) {
      const auto variable = environment.find(flag.EnvironmentName());
      if (variable == environment.end() || variable->second.empty()) continue;
      if (!flag.value.Set(variable->second)) {
        return WrongValueError(variable->first, flag.value.expected,
                               variable->second);
      }
    }
    return absl::OkStatus();
  }

  // Only the command line itself may name a flag file.
  absl::Status TakeArguments(std::span<const std::string> arguments,
                             bool may_name_files) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      Token token = CutFlag(arguments[i]);
      const Flag* flag = Find(token.name);
      if (flag == nullptr) return NotAFlag(arguments, i, token.name);
      if (!token.value && flag->value.is_boolean()) token.value = "true";
      if (!token.value && i + 1 < arguments.size() &&
          !absl::StartsWith(arguments[i + 1], "--")) {
        token.value = arguments[++i];
      }
      if (!token.value) {
        return absl::InvalidArgumentError(absl::StrCat(
            token.name, ": expected ", flag->value.expected, ", got nothing"));
      }
      LADDER_RETURN_IF_ERROR(flag == &file_flag_
                                 ? TakeFile(*token.value, may_name_files)
                                 : Set(*flag, token.name, *token.value));
    }
    return absl::OkStatus();
  }

 private:
  const Flag* Find(absl::string_view name) const {
    if (name == file_flag_.name) return &file_flag_;
    for (const Flag& flag : flags_) {
      if (name == flag.name || (!flag.alias.empty() && name == flag.alias)) {
        return &flag;
      }
    }
    return nullptr;
  }

  absl::Status NotAFlag(std::span<const std::string> arguments, size_t i,
                        absl::string_view name) const {
    if (absl::StartsWith(name, "-")) {
      std::vector<std::string> names = {file_flag_.name};
      for (const Flag& flag : flags_) {
        names.push_back(flag.name);
        if (!flag.alias.empty()) names.push_back(flag.alias);
      }
      return UnknownFlagError(name, names);
    }
    const Flag* before = i > 0 ? Find(arguments[i - 1]) : nullptr;
    if (before != nullptr && before->value.is_boolean()) {
      return absl::InvalidArgumentError(
          absl::StrCat(before->name, ": expected its value after a '=', got ",
                       base::Quoted(absl::StrCat(" ", arguments[i]))));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("expected a flag, got ", base::Quoted(arguments[i])));
  }

  absl::Status Set(const Flag& flag, absl::string_view name,
                   absl::string_view value) {
    const bool is_first = given_.insert(flag.name).second;
    if (flag.value.Set(value, /*joins=*/!is_first)) return absl::OkStatus();
    return WrongValueError(name, flag.value.expected, value);
  }

  absl::Status TakeFile(const std::string& path, bool may_name_files) {
    if (!may_name_files) {
      return absl::InvalidArgumentError(absl::StrCat(
          file_flag_.name, ": expected no flag file inside of one, got ",
          base::Quoted(path)));
    }
    const auto lines = ReadFlagFile(path);
    if (!lines.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file_flag_.name, ": ", lines.status().message()));
    }
    for (const FlagLine& line : *lines) {
      const absl::Status status =
          TakeArguments(line.arguments, /*may_name_files=*/false);
      if (!status.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ":", line.number, ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

  // Has no field, because TakeFile uses its value at once.
  const Flag file_flag_ = {.name = "--flagfile",
                           .value = {static_cast<std::string*>(nullptr), "FILE",
                                     /*expected=*/"a file"}};
  ServerConfig config_;
  const std::vector<Flag> flags_ = ServerFlags(config_);
  std::set<std::string> given_;  // The flags that the arguments have set.
};

std::vector<std::string> UnknownVariables(const Environment& environment,
                                          const std::vector<Flag>& flags) {
  std::vector<std::string> known;
  for (const Flag& flag : flags) known.push_back(flag.EnvironmentName());
  std::vector<std::string> warnings;
  for (const auto& [name, value] : environment) {
    if (!absl::StartsWith(name, kVariablePrefix) ||
        std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    const std::string nearest = NearestName(name, known);
    warnings.push_back(absl::StrCat(
        name, ": no such variable, ignored",
        nearest.empty() ? "" : absl::StrCat("; is it ", nearest, "?")));
  }
  return warnings;
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.insert(absl::StrSplit(*variable, absl::MaxSplits('=', 1)));
  }
  return environment;
}

absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Environment& environment) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      return CommandLine{.answer = HelpText()};
    }
    if (argument == "--version")
      return CommandLine{
          .answer = absl::StrCat("ladder-server ", base::kVersion, "\n")};
  }
  ConfigBuilder builder;
  LADDER_RETURN_IF_ERROR(builder.TakeEnvironment(environment));
  LADDER_RETURN_IF_ERROR(
      builder.TakeArguments(arguments, /*may_name_files=*/true));
  LADDER_RETURN_IF_ERROR(builder.config().Validate());
  return CommandLine{
      .config = builder.config(),
      .warnings = UnknownVariables(environment, builder.flags())};
}

}  // namespace ladder::server
