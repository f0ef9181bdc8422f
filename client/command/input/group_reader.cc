#include "client/command/input/group_reader.h"

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::command {

absl::StatusOr<std::optional<v1::Samples>> GroupReader::Next() {
  v1::Samples chunk;
  size_t num_samples = 0;
  size_t num_bytes = 0;
  while (num_samples < contents_->options.max_chunk_samples) {
    const absl::StatusOr<bool> has_sample = Fetch();
    if (!has_sample.ok()) return has_sample.status();
    if (!*has_sample) break;
    num_bytes += bytes_.size() + id_.size();
    if (num_samples > 0 && num_bytes > contents_->options.max_chunk_bytes) {
      break;
    }
    Append(chunk);
    ++num_samples;
  }
  if (num_samples == 0) return std::nullopt;
  if (chunk.has_tensor()) {
    chunk.mutable_tensor()->set_shape(0, static_cast<int64_t>(num_samples));
  }
  return chunk;
}

absl::Status GroupReader::Rewind() {
  next_ = 0;
  is_fetched_ = false;
  return absl::OkStatus();
}

absl::StatusOr<bool> GroupReader::Fetch() {
  for (; !is_fetched_ && next_ < group_.samples.size(); ++next_) {
    const size_t sample = group_.samples[next_];
    const absl::Status status = contents_->source->Read(sample, bytes_);
    if (status.ok()) {
      id_ = contents_->source->Id(sample);
      is_fetched_ = true;
      break;
    }
    absl::Status taken = contents_->skipped.Take(
        base::AtPlace(absl::StrCat("group \"", group_.name, "\""), status));
    if (!taken.ok()) return taken;
  }
  return is_fetched_;
}

void GroupReader::Append(v1::Samples& chunk) {
  chunk.add_ids(std::move(id_));
  const std::vector<int64_t>& shape = contents_->source->shape();
  if (shape.empty()) {
    chunk.mutable_images()->add_images(std::move(bytes_));
  } else {
    v1::Tensor& tensor = *chunk.mutable_tensor();
    if (tensor.shape().empty()) {
      tensor.add_shape(0);
      tensor.mutable_shape()->Add(shape.begin(), shape.end());
    }
    tensor.mutable_float32()->append(bytes_);
  }
  is_fetched_ = false;
  ++next_;
}

}  // namespace ladder::command
