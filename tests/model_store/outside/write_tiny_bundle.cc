// Writes the tests' tiny bundle into a store, for tests in other languages and
// for the bundles kept in testdata:  write_tiny_bundle STORE

#include <cstdlib>
#include <iostream>

#include "model_store/format/bundle.h"
#include "tests/model_store/tiny_bundle.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_tiny_bundle STORE\n";
    return 2;
  }
  const auto directory = ladder::model_store::WriteBundle(
      argv[1], ladder::model_store::TinyBundle());
  if (!directory.ok()) {
    std::cerr << "write_tiny_bundle: " << directory.status() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << directory->string() << '\n';
}
