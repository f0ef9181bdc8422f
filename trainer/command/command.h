#ifndef LADDER_TRAINER_COMMAND_COMMAND_H_
#define LADDER_TRAINER_COMMAND_COMMAND_H_

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/terminal/exit_code.h"
#include "trainer/data/dataset.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ladder::trainer {

// A command writes its results to `out` and all else to `err`.
struct CommandOutput {
  std::ostream& out;
  std::ostream& err;
  size_t err_columns = 0;  // 0 if `err` is no terminal.
};

// The trainer's commands of `ladder-train`, with the arguments behind their
// names. They return the exit code; their --help says the rest.
int RunFit(const std::vector<std::string>& arguments,
           const CommandOutput& output);
int RunEvaluate(const std::vector<std::string>& arguments,
                const CommandOutput& output);

// Parses `arguments` as `app` says. The exit code, if the command is to end
// with it: after --help, or one line about what is wrong.
std::optional<int> ParseArguments(CLI::App& app,
                                  const std::vector<std::string>& arguments,
                                  const CommandOutput& output);

// The split that the option says. InvalidArgument, naming both, if there is no
// such split.
absl::StatusOr<Split> ParseSplitOption(const std::string& option,
                                       const std::string& name);

// Says what went wrong, in one line, and returns the exit code for it.
int Fail(const CLI::App& app, const absl::Status& status,
         const CommandOutput& output);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_COMMAND_H_
