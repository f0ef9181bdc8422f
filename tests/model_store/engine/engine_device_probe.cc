// Says which device an engine takes, for tests that change what it finds:
//
//   engine_device_probe DEVICE [CUDA-OPTION=VALUE...]
//
// Prints "device: NAME" and, if there is one, "fallback: REASON"; or, with exit
// code 1, "error: STATUS".

#include <cstdlib>
#include <iostream>
#include <string>

#include "model_store/engine/engine.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: engine_device_probe DEVICE [CUDA-OPTION=VALUE...]\n";
    return 2;
  }
  ladder::model_store::EngineOptions options = {.device = argv[1]};
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    const size_t sign = option.find('=');
    options.cuda_options[option.substr(0, sign)] = option.substr(sign + 1);
  }
  const auto engine = ladder::model_store::Engine::Create(options);
  if (!engine.ok()) {
    std::cout << "error: " << engine.status().ToString() << "\n";
    return EXIT_FAILURE;
  }
  std::cout << "device: " << (*engine)->device().Name() << "\n";
  if (!(*engine)->fallback_reason().empty()) {
    std::cout << "fallback: " << (*engine)->fallback_reason() << "\n";
  }
  return EXIT_SUCCESS;
}
