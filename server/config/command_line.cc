#include "server/config/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/config/flag_error.h"
#include "server/config/flag_file.h"
#include "server/config/help.h"
#include "server/config/server_flags.h"

namespace ladder::server {
namespace {

constexpr absl::string_view kPrefix = "LADDER_";

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

// Fills a configuration flag by flag.
class ConfigBuilder {
 public:
  const ServerConfig& config() const { return config_; }
  const std::vector<Flag>& flags() const { return flags_; }

  absl::Status TakeEnvironment(const Environment& environment) {
    for (const Flag& flag : flags_) {
      const auto variable = environment.find(flag.EnvironmentName());
      if (variable == environment.end() || variable->second.empty()) continue;
      if (!flag.set(variable->second, config_)) {
        return WrongValueError(variable->first, flag.expected,
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
      if (!token.value && flag->is_boolean) token.value = "true";
      if (!token.value && i + 1 < arguments.size() &&
          !absl::StartsWith(arguments[i + 1], "--")) {
        token.value = arguments[++i];
      }
      if (!token.value) {
        return absl::InvalidArgumentError(absl::StrCat(
            token.name, ": expected ", flag->expected, ", got nothing"));
      }
      const absl::Status status = flag == &file_flag_
                                      ? TakeFile(*token.value, may_name_files)
                                      : Set(*flag, token.name, *token.value);
      if (!status.ok()) return status;
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
    if (before != nullptr && before->is_boolean) {
      return absl::InvalidArgumentError(
          absl::StrCat(before->name, ": expected its value after a '=', got ",
                       Quoted(absl::StrCat(" ", arguments[i]))));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("expected a flag, got ", Quoted(arguments[i])));
  }

  absl::Status Set(const Flag& flag, absl::string_view name,
                   absl::string_view value) {
    const bool is_first = given_.insert(flag.name).second;
    const bool joins = flag.is_repeatable && !is_first;
    if (joins ? flag.add(value, config_) : flag.set(value, config_)) {
      return absl::OkStatus();
    }
    return WrongValueError(name, flag.expected, value);
  }

  absl::Status TakeFile(const std::string& path, bool may_name_files) {
    if (!may_name_files) {
      return absl::InvalidArgumentError(absl::StrCat(
          file_flag_.name, ": expected no flag file inside of one, got ",
          Quoted(path)));
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

  const std::vector<Flag> flags_ = ServerFlags();
  const Flag file_flag_ = {.name = "--flagfile", .expected = "a file"};
  ServerConfig config_;
  std::set<std::string> given_;  // By the arguments.
};

std::vector<std::string> UnknownVariables(const Environment& environment,
                                          const std::vector<Flag>& flags) {
  std::vector<std::string> known;
  for (const Flag& flag : flags) known.push_back(flag.EnvironmentName());
  std::vector<std::string> warnings;
  for (const auto& [name, value] : environment) {
    if (!absl::StartsWith(name, kPrefix) ||
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
    if (argument == "--version") return CommandLine{.answer = VersionText()};
  }
  ConfigBuilder builder;
  absl::Status status = builder.TakeEnvironment(environment);
  if (!status.ok()) return status;
  status = builder.TakeArguments(arguments, /*may_name_files=*/true);
  if (!status.ok()) return status;
  status = builder.config().Validate();
  if (!status.ok()) return status;
  return CommandLine{
      .config = builder.config(),
      .warnings = UnknownVariables(environment, builder.flags())};
}

}  // namespace ladder::server
