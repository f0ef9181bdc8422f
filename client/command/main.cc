#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "base/terminal/interrupt.h"
#include "client/command/commands.h"

int main(int argc, char** argv) {
  const ladder::base::Interrupt interrupt;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::client::RunLadder(
      arguments, {.out = std::cout,
                  .err = std::cerr,
                  .out_terminal = ladder::base::DescribeTerminal(STDOUT_FILENO),
                  .err_terminal = ladder::base::DescribeTerminal(STDERR_FILENO),
                  .stop = interrupt.token()});
}
