#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "trainer/command/command.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::trainer::RunLadderTrain(
      arguments, {.out = std::cout,
                  .err = std::cerr,
                  .err_is_terminal = isatty(STDERR_FILENO) != 0});
}
