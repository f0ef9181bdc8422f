#include "model_store/engine/model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status_macros.h"

namespace ladder::model_store {
namespace {

Tensor ConcatenateOnHost(std::span<const Tensor> pieces, size_t num_rows) {
  const size_t cols = pieces.front().cols();
  std::vector<float> values(num_rows * cols);
  auto end = values.begin();
  for (const Tensor& piece : pieces) {
    end = std::copy_n(piece.data(), piece.rows() * cols, end);
  }
  while (end != values.end()) {
    end = std::copy_n(end - static_cast<std::ptrdiff_t>(cols), cols, end);
  }
  return Tensor::OnHost(std::move(values), num_rows, cols);
}

}  // namespace

absl::Status Model::TryOut(const std::stop_token& stop) const {
  size_t sample_size = 1;
  for (const int64_t size : SampleShape(manifest().input)) {
    sample_size *= static_cast<size_t>(size);
  }
  const std::vector<float> x(sample_size);
  return Encode(x, /*num_rows=*/1, stop).status();
}

absl::StatusOr<Tensor> Model::Concatenate(std::span<const Tensor> pieces,
                                          size_t min_rows,
                                          const std::stop_token& stop) const {
  size_t num_rows = 0;
  for (const Tensor& piece : pieces) num_rows += piece.rows();
  num_rows = std::max(num_rows, min_rows);
  if (pieces.front().place() == Tensor::Place::kHost) {
    return ConcatenateOnHost(pieces, num_rows);
  }
  Tensor all;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t held = all.rows() + pieces[i].rows();
    const bool last = i + 1 == pieces.size();
    std::vector<int64_t> rows(held);
    std::iota(rows.begin(), rows.end(), int64_t{0});
    if (last) rows.resize(num_rows, static_cast<int64_t>(held) - 1);
    LADDER_ASSIGN_OR_RETURN(all, SelectRows(all, pieces[i], rows, stop));
  }
  return all;
}

}  // namespace ladder::model_store
