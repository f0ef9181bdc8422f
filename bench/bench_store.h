#ifndef LADDER_BENCH_BENCH_STORE_H_
#define LADDER_BENCH_BENCH_STORE_H_

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/status/statusor.h"
#include "bench/resnet50_bundle.h"
#include "bench/temporary_folder.h"
#include "model_store/format/bundle.h"

namespace ladder::bench {

// The value of `result`; a benchmark without it has nothing to measure.
template <typename T>
T ValueOrDie(absl::StatusOr<T> result) {
  if (!result.ok()) {
    std::cerr << result.status() << '\n';
    std::exit(EXIT_FAILURE);
  }
  return *std::move(result);
}

// A store in a temporary folder with `num_versions` of a ResNet-50 bundle.
class BenchStore {
 public:
  explicit BenchStore(const ResNet50Sizes& sizes, int num_versions = 1) {
    for (int i = 0; i < num_versions; ++i) {
      bundle_ = ValueOrDie(
          model_store::WriteBundle(path(), ValueOrDie(ResNet50Bundle(sizes))));
    }
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  // The latest version.
  const std::filesystem::path& bundle() const { return bundle_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path bundle_;
};

}  // namespace ladder::bench

#endif  // LADDER_BENCH_BENCH_STORE_H_
