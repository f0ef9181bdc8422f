#include "server/groups/content_buffer.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/status_macros.h"

namespace ladder::server {
namespace {

using model_store::Tensor;

Tensor ConcatenateOnHost(const std::vector<Tensor>& pieces, size_t num_rows) {
  const size_t cols = pieces.front().cols();
  const std::shared_ptr<float[]> values =
      std::make_shared<float[]>(num_rows * cols);
  float* end = values.get();
  size_t rest = num_rows;
  for (const Tensor& piece : pieces) {
    end = std::copy_n(piece.data(), piece.rows() * cols, end);
    rest -= piece.rows();
  }
  for (; rest > 0; --rest) end = std::copy_n(end - cols, cols, end);
  return Tensor(values, values.get(), num_rows, cols, Tensor::Place::kHost);
}

absl::StatusOr<Tensor> ConcatenateOnDevice(const model_store::Model& model,
                                           const std::vector<Tensor>& pieces,
                                           size_t num_rows,
                                           const std::stop_token& stop) {
  Tensor all;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t held = all.rows() + pieces[i].rows();
    const bool last = i + 1 == pieces.size();
    std::vector<int64_t> rows(last ? num_rows : held);
    std::iota(rows.begin(), rows.end(), int64_t{0});
    for (size_t r = held; r < rows.size(); ++r) {
      rows[r] = static_cast<int64_t>(held) - 1;
    }
    LADDER_ASSIGN_OR_RETURN(all, model.SelectRows(all, pieces[i], rows, stop));
  }
  return all;
}

// The first `num_rows` of `rows`, which become the rest.
ContentRows SplitOff(ContentRows& rows, size_t num_rows) {
  const auto split = [num_rows](auto& values) {
    std::remove_reference_t<decltype(values)> first;
    if (values.empty()) return first;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(num_rows);
    first.assign(std::make_move_iterator(values.begin()),
                 std::make_move_iterator(middle));
    values.erase(values.begin(), middle);
    return first;
  };
  ContentRows first = {.z_c = rows.z_c.Rows(0, num_rows),
                       .indices = split(rows.indices),
                       .ids = split(rows.ids)};
  rows.z_c = rows.z_c.Rows(num_rows, rows.z_c.rows());
  if (rows.gate.rows() > 0) {
    first.gate = rows.gate.Rows(0, num_rows);
    rows.gate = rows.gate.Rows(num_rows, rows.gate.rows());
  }
  return first;
}

}  // namespace

absl::StatusOr<Tensor> Concatenate(const model_store::Model& model,
                                   const std::vector<Tensor>& pieces,
                                   size_t min_rows,
                                   const std::stop_token& stop) {
  size_t num_rows = 0;
  for (const Tensor& piece : pieces) num_rows += piece.rows();
  if (pieces.size() == 1 && num_rows >= min_rows) return pieces.front();
  num_rows = std::max(num_rows, min_rows);
  return pieces.front().place() == Tensor::Place::kHost
             ? ConcatenateOnHost(pieces, num_rows)
             : ConcatenateOnDevice(model, pieces, num_rows, stop);
}

void ContentBuffer::Push(ContentRows rows) {
  num_rows_ += rows.z_c.rows();
  pieces_.push_back(std::move(rows));
}

absl::StatusOr<ContentRows> ContentBuffer::Take(const model_store::Model& model,
                                                size_t num_rows,
                                                const std::stop_token& stop) {
  num_rows = std::min(num_rows, num_rows_);
  ContentRows taken;
  std::vector<Tensor> z_c;
  std::vector<Tensor> gate;
  for (size_t rest = num_rows; rest > 0;) {
    ContentRows& front = pieces_.front();
    const bool whole = front.z_c.rows() <= rest;
    ContentRows piece = whole ? std::move(front) : SplitOff(front, rest);
    if (whole) pieces_.pop_front();
    rest -= piece.z_c.rows();
    z_c.push_back(std::move(piece.z_c));
    if (piece.gate.rows() > 0) gate.push_back(std::move(piece.gate));
    std::move(piece.indices.begin(), piece.indices.end(),
              std::back_inserter(taken.indices));
    std::move(piece.ids.begin(), piece.ids.end(),
              std::back_inserter(taken.ids));
  }
  num_rows_ -= num_rows;
  LADDER_ASSIGN_OR_RETURN(taken.z_c, Concatenate(model, z_c, 0, stop));
  if (!gate.empty()) {
    LADDER_ASSIGN_OR_RETURN(taken.gate, Concatenate(model, gate, 0, stop));
  }
  return taken;
}

}  // namespace ladder::server
