#ifndef LADDER_TESTS_MODEL_STORE_TINY_BUNDLE_H_
#define LADDER_TESTS_MODEL_STORE_TINY_BUNDLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "model_store/format/bundle.h"

namespace ladder::model_store {

struct TinyBundleOptions {
  enum class Input { kTensor, kImage };

  std::string model = "tiny";
  uint64_t version = 1;
  size_t num_sources = 3;
  uint64_t seed = 1;             // Of all weights and style vectors.
  Input input = Input::kTensor;  // A tensor of [6] or a picture of 8 x 8.
};

// A small bundle whose graphs all work: 4 classes, content of 5 and style of 4
// dimensions, fingerprints of 7, 5, 6, 7, ... samples, a calibration with two
// levels. The encoder is affine: z_c, z_s and gate are each a matrix product
// and a sum.
BundleContents TinyBundle(const TinyBundleOptions& options = {});

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_TINY_BUNDLE_H_
