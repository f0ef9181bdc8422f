#ifndef LADDER_CLIENT_COMMAND_COMMANDS_H_
#define LADDER_CLIENT_COMMAND_COMMANDS_H_

#include <functional>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/terminal/terminal.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::client {

// What a subcommand works with: results go to `out`, all else to `err`.
struct Context {
  std::ostream& out;
  std::ostream& err;
  base::Terminal out_terminal = {};
  base::Terminal err_terminal = {};
  std::stop_token stop = {};
};

// Says in a line or two what went wrong and what to do, and returns the exit
// code for it.
int Fail(const absl::Status& status, const Context& context);

// Says each line to people.
void Tell(const std::vector<std::string>& lines, const Context& context);

// What was parsed, ready to run; returns the exit code, or an error that Fail
// is to tell.
using Run = std::function<absl::StatusOr<int>(const Context&)>;

// Adds a subcommand to `app`, whose help ends in `footer`. Parsing it sets
// `run`, which must outlive `app`, to `command`.
CLI::App& AddCommand(CLI::App& app, Run& run, const std::string& name,
                     const std::string& description, const std::string& footer,
                     Run command);

// The same for a command with arguments, which its options are bound to.
template <typename Arguments>
CLI::App& AddCommand(CLI::App& app, Run& run, const std::string& name,
                     const std::string& description, const std::string& footer,
                     const std::shared_ptr<Arguments>& arguments,
                     absl::StatusOr<int> (*command)(const Arguments&,
                                                    const Context&)) {
  return AddCommand(app, run, name, description, footer,
                    [arguments, command](const Context& context) {
                      return command(*arguments, context);
                    });
}

// Each adds a subcommand, as AddCommand.
void AddPredict(CLI::App& app, Run& run);
void AddRoute(CLI::App& app, Run& run);
void AddModels(CLI::App& app, Run& run);
void AddModel(CLI::App& app, Run& run);
void AddHealth(CLI::App& app, Run& run);
void AddWatch(CLI::App& app, Run& run);
void AddBench(CLI::App& app, Run& run);
void AddCompletion(CLI::App& app, Run& run);

// The command `ladder`: `arguments` without its own name. Returns the exit
// code.
int RunLadder(const std::vector<std::string>& arguments,
              const Context& context);

}  // namespace ladder::client

#endif  // LADDER_CLIENT_COMMAND_COMMANDS_H_
