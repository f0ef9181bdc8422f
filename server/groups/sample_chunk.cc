#include "server/groups/sample_chunk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ladder::server {
namespace {

using model_store::ImageInput;
using model_store::Manifest;

// The first sample with a number that is none, if there is one.
std::optional<size_t> FindNotFinite(std::span<const float> x,
                                    size_t sample_size) {
  // The sum of products with zero is zero or not a number: quick to find out.
  float sum = 0;
  for (const float value : x) sum += value * 0;
  if (sum == 0) return std::nullopt;
  const auto at = std::find_if_not(
      x.begin(), x.end(), [](float value) { return std::isfinite(value); });
  return static_cast<size_t>(std::distance(x.begin(), at)) / sample_size;
}

}  // namespace

uint64_t SampleChunk::num_bytes() const {
  uint64_t bytes = x.size_bytes();
  for (const auto image : images) bytes += image.size();
  for (const std::string& id : ids) bytes += id.size();
  return bytes;
}

size_t SampleSize(const Manifest& manifest) {
  const std::vector<int64_t> shape = model_store::SampleShape(manifest.input);
  return static_cast<size_t>(std::accumulate(shape.begin(), shape.end(),
                                             int64_t{1}, std::multiplies<>()));
}

absl::Status CheckSamples(const SampleChunk& chunk, const Manifest& manifest) {
  const size_t sample_size = SampleSize(manifest);
  if (!chunk.ids.empty() && chunk.ids.size() != chunk.num_samples) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids: expected none or ", chunk.num_samples,
                     ", one for each sample, got ", chunk.ids.size()));
  }
  if (!chunk.images.empty()) {
    if (!std::holds_alternative<ImageInput>(manifest.input)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "images: model ", manifest.model, " takes tensors of shape [n, ",
          absl::StrJoin(model_store::SampleShape(manifest.input), ", "), "]"));
    }
    if (chunk.images.size() != chunk.num_samples) {
      return absl::InvalidArgumentError(
          absl::StrCat("images: expected ", chunk.num_samples,
                       ", one for each sample, got ", chunk.images.size()));
    }
    return absl::OkStatus();
  }
  if (chunk.x.size() != chunk.num_samples * sample_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "x: expected ", chunk.num_samples, " samples of ", sample_size,
        " numbers each, got ", chunk.x.size(), " numbers"));
  }
  if (const auto sample = FindNotFinite(chunk.x, sample_size)) {
    return absl::InvalidArgumentError(
        absl::StrCat("x: expected finite numbers, sample ", *sample,
                     " of the chunk has one that is not"));
  }
  return absl::OkStatus();
}

}  // namespace ladder::server
