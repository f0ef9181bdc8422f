#ifndef LADDER_TRAINER_COMMAND_COMMAND_H_
#define LADDER_TRAINER_COMMAND_COMMAND_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "base/terminal/exit_code.h"

namespace ladder::trainer {

using base::kExitFailed;
using base::kExitInterrupted;
using base::kExitOk;
using base::kExitUsage;

// Where a command writes: results to `out`, all else to `err`.
struct CommandOutput {
  std::ostream& out;
  std::ostream& err;
  size_t err_columns = 0;  // Of the terminal that `err` is; 0 if it is none.
};

// The command `ladder-train`: `arguments` without its own name. Returns the
// exit code. Its --help says the rest.
int RunLadderTrain(const std::vector<std::string>& arguments,
                   const CommandOutput& output);

// Its parts, with the arguments behind their names.
int RunFit(const std::vector<std::string>& arguments,
           const CommandOutput& output);
int RunEvaluate(const std::vector<std::string>& arguments,
                const CommandOutput& output);
int RunDiagnose(const std::vector<std::string>& arguments,
                const CommandOutput& output);
int RunSimulate(const std::vector<std::string>& arguments,
                const CommandOutput& output);
int RunMakeExample(const std::vector<std::string>& arguments,
                   const CommandOutput& output);

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_COMMAND_COMMAND_H_
