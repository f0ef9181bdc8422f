#include "ladder/client/samples.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace ladder::client {
namespace {

absl::Status SetIds(std::vector<std::string> ids, size_t num_samples,
                    v1::Samples& samples) {
  if (!ids.empty() && ids.size() != num_samples) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids: expected none or one for each of ", num_samples,
                     " samples, got ", ids.size()));
  }
  for (std::string& id : ids) samples.add_ids(std::move(id));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::Samples> TensorSamples(std::span<const float> values,
                                          std::span<const int64_t> shape,
                                          std::vector<std::string> ids) {
  size_t row = 1;
  for (const int64_t side : shape) {
    if (side <= 0 || __builtin_mul_overflow(row, side, &row)) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape: expected positive sides of a sample, got ", side,
                       " among them"));
    }
  }
  if (values.size() % row != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("values: expected a multiple of the ", row,
                     " numbers of a sample, got ", values.size()));
  }
  const size_t num_samples = values.size() / row;
  v1::Samples samples;
  v1::Tensor& tensor = *samples.mutable_tensor();
  tensor.add_shape(static_cast<int64_t>(num_samples));
  for (const int64_t side : shape) tensor.add_shape(side);
  tensor.set_float32(values.data(), values.size_bytes());
  LADDER_RETURN_IF_ERROR(SetIds(std::move(ids), num_samples, samples));
  return samples;
}

absl::StatusOr<v1::Samples> ImageSamples(std::vector<std::string> files,
                                         std::vector<std::string> ids) {
  v1::Samples samples;
  for (std::string& file : files) {
    samples.mutable_images()->add_images(std::move(file));
  }
  LADDER_RETURN_IF_ERROR(SetIds(std::move(ids), files.size(), samples));
  return samples;
}

size_t NumSamples(const v1::Samples& samples) {
  if (samples.has_images()) {
    return static_cast<size_t>(samples.images().images_size());
  }
  if (samples.tensor().shape().empty()) return 0;
  return static_cast<size_t>(samples.tensor().shape(0));
}

}  // namespace ladder::client
