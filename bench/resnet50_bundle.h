#ifndef LADDER_BENCH_RESNET50_BUNDLE_H_
#define LADDER_BENCH_RESNET50_BUNDLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "model_store/format/bundle.h"

namespace ladder::bench {

// What a bundle's cost depends on; the defaults are the paper's iWildCam.
struct ResNet50Sizes {
  int64_t image_size = 448;
  size_t num_sources = 64;
  size_t num_classes = 182;
  size_t content_dimension = 512;
  size_t style_dimension = 128;
  size_t fingerprint_samples = 1024;
};

// A bundle with a ResNet-50 encoder and everything of the sizes given. Its
// weights are random but keep activations in range, so that it costs what a
// trained one would.
absl::StatusOr<model_store::BundleContents> ResNet50Bundle(
    const ResNet50Sizes& sizes);

}  // namespace ladder::bench

#endif  // LADDER_BENCH_RESNET50_BUNDLE_H_
