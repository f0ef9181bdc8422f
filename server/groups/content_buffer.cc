#include "server/groups/content_buffer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"

namespace ladder::server {
namespace {

using model_store::Tensor;

// The rows of all `pieces`, in order.
absl::StatusOr<Tensor> Join(const model_store::Model& model,
                            const std::vector<Tensor>& pieces,
                            const std::stop_token& stop) {
  if (pieces.size() == 1) return pieces.front();
  return model.Concatenate(pieces, /*min_rows=*/0, stop);
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
  LADDER_ASSIGN_OR_RETURN(taken.z_c, Join(model, z_c, stop));
  if (!gate.empty()) {
    LADDER_ASSIGN_OR_RETURN(taken.gate, Join(model, gate, stop));
  }
  return taken;
}

}  // namespace ladder::server
