// Writes the tests' tiny bundle into a store, as any model and version:
//   write_store STORE MODEL VERSION tensor|image
// Weights and style vectors differ from version to version.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "model_store/format/bundle.h"
#include "tests/model_store/tiny_bundle.h"

int main(int argc, char** argv) {
  using ladder::model_store::TinyBundleOptions;
  uint64_t version = 0;
  if (argc != 5 || !absl::SimpleAtoi(argv[3], &version)) {
    std::cerr << "usage: write_store STORE MODEL VERSION tensor|image\n";
    return 2;
  }
  const auto input = std::string(argv[4]) == "image"
                         ? TinyBundleOptions::Input::kImage
                         : TinyBundleOptions::Input::kTensor;
  const auto directory = ladder::model_store::WriteBundle(
      argv[1], ladder::model_store::TinyBundle({.model = argv[2],
                                                .version = version,
                                                .seed = version,
                                                .input = input}));
  if (!directory.ok()) {
    std::cerr << "write_store: " << directory.status() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << directory->string() << '\n';
}
