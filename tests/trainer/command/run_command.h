#ifndef LADDER_TESTS_TRAINER_COMMAND_RUN_COMMAND_H_
#define LADDER_TESTS_TRAINER_COMMAND_RUN_COMMAND_H_

#include <sstream>
#include <string>
#include <vector>

#include "trainer/command/command.h"

namespace ladder::trainer {

struct CommandResult {
  int exit_code = 0;
  std::string out = {};
  std::string err = {};
};

// Runs `command`, such as RunFit, with these arguments, away from a terminal.
inline CommandResult RunCommand(int (*command)(const std::vector<std::string>&,
                                               const CommandOutput&),
                                const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = command(arguments, {.out = out, .err = err});
  return {.exit_code = exit_code, .out = out.str(), .err = err.str()};
}

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_COMMAND_RUN_COMMAND_H_
