#ifndef LADDER_SERVER_GROUPS_SAMPLE_CHUNK_H_
#define LADDER_SERVER_GROUPS_SAMPLE_CHUNK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model_store/format/manifest.h"

namespace ladder::server {

// Some samples of a group, in order: either `x` or `images`.
struct SampleChunk {
  std::shared_ptr<const void> owner = {};  // Keeps what follows alive.
  size_t num_samples = 0;
  std::span<const float> x = {};
  std::vector<std::span<const std::byte>> images = {};
  std::vector<std::string> ids = {};  // One each, or none.

  uint64_t num_bytes() const;
};

// How many numbers a sample has once it is decoded.
size_t SampleSize(const model_store::Manifest& manifest);

// InvalidArgument if the samples do not fit the model, naming what was expected
// and what came.
absl::Status CheckSamples(const SampleChunk& chunk,
                          const model_store::Manifest& manifest);

}  // namespace ladder::server

#endif  // LADDER_SERVER_GROUPS_SAMPLE_CHUNK_H_
