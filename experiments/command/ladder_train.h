#ifndef LADDER_EXPERIMENTS_COMMAND_LADDER_TRAIN_H_
#define LADDER_EXPERIMENTS_COMMAND_LADDER_TRAIN_H_

#include <string>
#include <vector>

#include "trainer/command/command.h"

namespace ladder::experiments {

// The command `ladder-train`: `arguments` without its own name. Returns the
// exit code. Its --help says the rest.
int RunLadderTrain(const std::vector<std::string>& arguments,
                   const trainer::CommandOutput& output);

// The experiments' commands, beside those of the trainer, with the arguments
// behind their names.
int RunDiagnose(const std::vector<std::string>& arguments,
                const trainer::CommandOutput& output);
int RunSimulate(const std::vector<std::string>& arguments,
                const trainer::CommandOutput& output);
int RunMakeExample(const std::vector<std::string>& arguments,
                   const trainer::CommandOutput& output);

}  // namespace ladder::experiments

#endif  // LADDER_EXPERIMENTS_COMMAND_LADDER_TRAIN_H_
