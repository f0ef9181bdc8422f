#include "server/inference/infer_request.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/inference/input_tensor.h"
#include "server/inference/quoted_text.h"

namespace ladder::server {
namespace {

absl::Status WrongDatatype(const InputTensor& tensor,
                           absl::string_view expected) {
  return tensor.Error(absl::StrCat("datatype: expected ", expected, ", got ",
                                   QuotedText(tensor.datatype())));
}

absl::StatusOr<TensorRows> ParseTensorRows(const InputTensor& x,
                                           const ModelSignature& model,
                                           size_t num_rows) {
  const absl::StatusOr<std::span<const float>> values =
      x.Floats(num_rows, model.sample_shape);
  if (!values.ok()) return values.status();
  return TensorRows{.values = *values};
}

absl::StatusOr<ImageRows> ParseImageRows(const InputTensor& x,
                                         size_t num_rows) {
  const absl::StatusOr<std::vector<absl::string_view>> elements =
      x.Bytes(num_rows);
  if (!elements.ok()) return elements.status();
  ImageRows rows;
  rows.files.reserve(elements->size());
  for (const absl::string_view element : *elements) {
    rows.files.push_back(
        std::as_bytes(std::span(element.data(), element.size())));
  }
  return rows;
}

absl::Status ParseX(const InputTensor& x, const ModelSignature& model,
                    InferRequest& parsed) {
  const bool takes_images = model.input_kind == InputKind::kImage;
  const bool has_images = takes_images && x.datatype() == "BYTES";
  if (!has_images && x.datatype() != "FP32") {
    return WrongDatatype(
        x, takes_images ? "BYTES, one image file per row, or FP32" : "FP32");
  }
  const absl::StatusOr<int64_t> num_rows =
      has_images ? x.FirstDimensionOfScalars()
                 : x.FirstDimension(model.sample_shape);
  if (!num_rows.ok()) return num_rows.status();
  if (*num_rows < 1 || *num_rows > model.max_rows) {
    return x.Error(absl::StrCat("shape[0]: expected 1 to ", model.max_rows,
                                " rows (max_batch_size), got ", *num_rows));
  }
  parsed.num_rows = static_cast<size_t>(*num_rows);
  if (has_images) {
    absl::StatusOr<ImageRows> rows = ParseImageRows(x, parsed.num_rows);
    if (!rows.ok()) return rows.status();
    parsed.x = *std::move(rows);
  } else {
    const absl::StatusOr<TensorRows> rows =
        ParseTensorRows(x, model, parsed.num_rows);
    if (!rows.ok()) return rows.status();
    parsed.x = *rows;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::string_view>> ParseGroupTensor(
    const InputTensor& group, size_t num_rows) {
  if (group.datatype() != "BYTES") return WrongDatatype(group, "BYTES");
  const absl::StatusOr<int64_t> num_groups = group.FirstDimensionOfScalars();
  if (!num_groups.ok()) return num_groups.status();
  if (*num_groups != static_cast<int64_t>(num_rows)) {
    return group.Error(absl::StrCat("shape[0]: expected ", num_rows,
                                    ", the rows of x, got ", *num_groups));
  }
  return group.Bytes(num_rows);
}

}  // namespace

absl::StatusOr<InferRequest> ParseInferRequest(
    const inference::ModelInferRequest& request, const ModelSignature& model) {
  InferRequest parsed{.model = request.model_name(),
                      .version = request.model_version(),
                      .id = request.id()};
  absl::StatusOr<InferParameters> parameters =
      ParseInferParameters(request.parameters());
  if (!parameters.ok()) return parameters.status();
  parsed.routing = std::move(parameters->routing);

  absl::StatusOr<std::vector<WantedOutput>> outputs =
      ParseWantedOutputs(request, model);
  if (!outputs.ok()) return outputs.status();
  parsed.outputs = *std::move(outputs);

  const absl::StatusOr<InputTensors> inputs = InputTensors::Create(request);
  if (!inputs.ok()) return inputs.status();
  absl::Status status = ParseX(inputs->x(), model, parsed);
  if (!status.ok()) return status;

  if (!inputs->group().has_value()) {
    const absl::string_view group = request.id();
    parsed.groups.assign(parsed.num_rows, parameters->group.value_or(group));
    return parsed;
  }
  if (parameters->group.has_value()) {
    return absl::InvalidArgumentError(
        "group: expected a parameter or an input, got both");
  }
  absl::StatusOr<std::vector<absl::string_view>> groups =
      ParseGroupTensor(*inputs->group(), parsed.num_rows);
  if (!groups.ok()) return groups.status();
  parsed.groups = *std::move(groups);
  return parsed;
}

}  // namespace ladder::server
