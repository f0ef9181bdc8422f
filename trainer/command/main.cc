#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "trainer/command/command.h"

namespace {

// 0 if it is no terminal.
size_t ColumnsOf(int file) {
  constexpr size_t kUsual = 80;  // Where a terminal does not tell.
  winsize size = {};
  if (isatty(file) == 0) return 0;
  if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::trainer::RunLadderTrain(
      arguments, {.out = std::cout,
                  .err = std::cerr,
                  .err_columns = ColumnsOf(STDERR_FILENO)});
}
