#include <iostream>
#include <string>
#include <vector>

#include "model_store/inspect/command.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0),
                                           argv + argc);
  return ladder::model_store::RunLadderStore(arguments, std::cout, std::cerr);
}
