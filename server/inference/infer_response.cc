#include "server/inference/infer_response.h"

#include <bit>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/inference/output_tensor.h"

namespace ladder::server {
namespace {

using inference::ModelInferResponse;

static_assert(std::endian::native == std::endian::little,
              "Raw contents are copied as they are.");

template <typename T>
std::string RawBytes(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const routing::MatrixView& Matrix(Output output, const InferResults& results) {
  switch (output) {
    case Output::kProbabilities:
      return results.probabilities;
    case Output::kLogits:
      return results.logits;
    case Output::kDistances:
      return results.distances;
    case Output::kWeights:
    case Output::kLabel:
      break;
  }
  return results.weights;
}

absl::Status WrongShape(Output output, size_t expected_rows, size_t rows,
                        size_t expected_cols, size_t cols) {
  return absl::InternalError(
      absl::StrCat("output ", OutputName(output), ": expected ", expected_rows,
                   " rows of ", expected_cols, ", got ", rows, " of ", cols));
}

void AddTensor(Output output, absl::string_view datatype,
               std::span<const size_t> shape, std::string raw,
               ModelInferResponse& response) {
  ModelInferResponse::InferOutputTensor& tensor = *response.add_outputs();
  tensor.set_name(std::string(OutputName(output)));
  tensor.set_datatype(std::string(datatype));
  for (const size_t dimension : shape) {
    tensor.add_shape(static_cast<int64_t>(dimension));
  }
  response.add_raw_output_contents(std::move(raw));
}

absl::Status AddLabels(size_t num_rows, std::span<const int64_t> labels,
                       ModelInferResponse& response) {
  if (labels.size() != num_rows) {
    return WrongShape(Output::kLabel, num_rows, labels.size(), 1, 1);
  }
  const size_t shape[] = {num_rows};
  AddTensor(Output::kLabel, "INT64", shape, RawBytes(labels), response);
  return absl::OkStatus();
}

absl::Status AddMatrix(const WantedOutput& wanted, size_t num_rows,
                       std::span<const std::string> columns,
                       const routing::MatrixView& values,
                       ModelInferResponse& response) {
  if (values.rows != num_rows || values.cols != columns.size()) {
    return WrongShape(wanted.output, num_rows, values.rows, columns.size(),
                      values.cols);
  }
  if (wanted.top_n > 0) {
    const size_t shape[] = {num_rows, wanted.top_n};
    AddTensor(wanted.output, "BYTES", shape,
              ClassificationBytes(values, columns, wanted.top_n), response);
  } else {
    const size_t shape[] = {num_rows, values.cols};
    AddTensor(wanted.output, "FP32", shape, RawBytes(values.Values()),
              response);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteInferResponse(const InferRequest& request,
                                const ModelSignature& model,
                                const InferResults& results,
                                ModelInferResponse& response) {
  response.set_model_name(request.model);
  response.set_model_version(absl::StrCat(results.version));
  response.set_id(request.id);
  for (const WantedOutput& wanted : request.outputs) {
    LADDER_RETURN_IF_ERROR(
        wanted.output == Output::kLabel
            ? AddLabels(request.num_rows, results.labels, response)
            : AddMatrix(wanted, request.num_rows,
                        ColumnNames(wanted.output, model),
                        Matrix(wanted.output, results), response));
  }
  return absl::OkStatus();
}

}  // namespace ladder::server
