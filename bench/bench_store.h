#ifndef LADDER_BENCH_BENCH_STORE_H_
#define LADDER_BENCH_BENCH_STORE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ladder::bench {

// An empty folder of its own; removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The sizes that a bundle's cost depends on; the defaults are the paper's
// iWildCam.
struct ResNet50Sizes {
  int64_t image_size = 448;
  size_t num_sources = 64;
  size_t num_classes = 182;
  size_t content_dimension = 512;
  size_t style_dimension = 128;
  size_t fingerprint_samples = 1024;
};

// A store in a temporary folder with `num_versions` of a bundle with a
// ResNet-50 encoder and everything of the sizes given. Its weights are random
// but keep activations in range, so that it costs what a trained one would.
class BenchStore {
 public:
  explicit BenchStore(const ResNet50Sizes& sizes, int num_versions = 1);

  const std::filesystem::path& path() const { return folder_.path(); }
  // The latest version.
  const std::filesystem::path& bundle() const { return bundle_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path bundle_;
};

}  // namespace ladder::bench

#endif  // LADDER_BENCH_BENCH_STORE_H_
