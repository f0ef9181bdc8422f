#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "base/terminal/terminal.h"
#include "experiments/command/ladder_train.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::experiments::RunLadderTrain(
      arguments, {.out = std::cout,
                  .err = std::cerr,
                  .err_columns = ladder::base::TerminalWidth(STDERR_FILENO)});
}
