#include "model_store/engine/row_selector.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/graphs/graph_builder.h"
#include "model_store/graphs/graph_ops.h"

namespace ladder::model_store {
namespace {

absl::Status CheckArguments(const Tensor& first, const Tensor& second,
                            std::span<const int64_t> rows) {
  if (first.rows() > 0 && second.rows() > 0) {
    if (first.cols() != second.cols()) {
      return absl::InvalidArgumentError(
          absl::StrCat("second: expected ", first.cols(),
                       " columns as in first, got ", second.cols()));
    }
  }
  const auto num_rows = static_cast<int64_t>(first.rows() + second.rows());
  const auto outside = std::find_if(rows.begin(), rows.end(), [&](int64_t row) {
    return row < 0 || row >= num_rows;
  });
  if (outside == rows.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("rows[", outside - rows.begin(), "]: expected 0 to ",
                   num_rows - 1, ", got ", *outside));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RowSelector>> RowSelector::Create(
    std::shared_ptr<const Runtime> runtime) {
  GraphBuilder builder("rows");
  const GraphValue first = builder.Input("first", {"a", "d"});
  const GraphValue second = builder.Input("second", {"b", "d"});
  const GraphValue rows =
      builder.Input("rows", {"k"}, onnx::TensorProto::INT64);
  builder.Output("selected", Gather(Concat({first, second}, /*axis=*/0), rows),
                 {"k", "d"});
  LADDER_ASSIGN_OR_RETURN(const std::string model, builder.Serialize());
  LADDER_ASSIGN_OR_RETURN(
      std::shared_ptr<GraphSession> graph,
      GraphSession::Create(std::move(runtime), std::as_bytes(std::span(model)),
                           "row selection", GraphRole::kRows));
  return std::unique_ptr<RowSelector>(new RowSelector(std::move(graph)));
}

RowSelector::RowSelector(std::shared_ptr<GraphSession> graph)
    : graph_(std::move(graph)) {}

absl::StatusOr<Tensor> RowSelector::Select(const Tensor& first,
                                           const Tensor& second,
                                           std::span<const int64_t> rows,
                                           Tensor::Place place,
                                           std::stop_token stop) const {
  LADDER_RETURN_IF_ERROR(CheckArguments(first, second, rows));
  // One that is empty is replaced by the other, whose indices it does not
  // shift: the graph never sees a tensor without rows.
  const Tensor& before = first.rows() > 0 ? first : second;
  const Tensor& after = second.rows() > 0 ? second : first;
  if (rows.empty()) {
    return Tensor(nullptr, nullptr, 0, before.cols(), place);
  }
  const GraphInput inputs[] = {GraphInput::Matrix("first", before),
                               GraphInput::Matrix("second", after),
                               GraphInput::Integers("rows", rows)};
  const GraphOutput output = {.name = "selected",
                              .place = place,
                              .rows = rows.size(),
                              .cols = before.cols()};
  LADDER_ASSIGN_OR_RETURN(std::vector<Tensor> selected,
                          graph_->Run(inputs, {&output, 1}, stop));
  return std::move(selected.front());
}

}  // namespace ladder::model_store
