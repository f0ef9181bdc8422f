#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "client/command/commands.h"

int main(int argc, char** argv) {
  const ladder::cli::Interrupt interrupt;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::command::RunLadder(
      arguments,
      {.out = std::cout,
       .err = std::cerr,
       .out_terminal = ladder::command::DescribeTerminal(STDOUT_FILENO),
       .err_terminal = ladder::command::DescribeTerminal(STDERR_FILENO),
       .stop = interrupt.token()});
}
