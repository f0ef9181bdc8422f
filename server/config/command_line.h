#ifndef LADDER_SERVER_CONFIG_COMMAND_LINE_H_
#define LADDER_SERVER_CONFIG_COMMAND_LINE_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/server_config.h"

namespace ladder::server {

// Names and values of environment variables.
using Environment = std::map<std::string, std::string>;

// The variables of this process. Not to be called while another thread changes
// them.
Environment ProcessEnvironment();

struct CommandLine {
  // Set if --help or --version was asked for: to be printed instead of serving.
  // The rest is then empty.
  std::optional<std::string> answer = {};
  ServerConfig config = {};  // Valid.
  // One line each: variables that look like ours and are not.
  std::vector<std::string> warnings = {};
};

// What `arguments`, without the command's own name, and the environment ask
// for. Values come from, the last one winning: the defaults; the variables
// LADDER_*, of which empty ones count as not set; the arguments, in order, with
// the lines of a --flagfile in the place of that flag. Repeatable flags collect
// what the arguments give, in place of what the environment gave.
//
// InvalidArgument, in one line that names the flag, the variable or the file
// and its line, what was expected and what came.
absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Environment& environment);

// The answer to --help: every flag by section, with its default, at most 80
// columns wide.
std::string HelpText();

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_COMMAND_LINE_H_
