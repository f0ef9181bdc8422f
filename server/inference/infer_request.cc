#include "server/inference/infer_request.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/inference/input_tensor.h"

namespace ladder::server {
namespace {

absl::Status WrongDatatype(const InputTensor& tensor,
                           absl::string_view expected) {
  return tensor.Error(absl::StrCat("datatype: expected ", expected, ", got ",
                                   QuotedText(tensor.datatype())));
}

absl::Status ParseX(const InputTensor& x, const ModelSignature& model,
                    InferRequest& parsed) {
  const bool takes_images = model.input_kind == InputKind::kImage;
  const bool has_images = takes_images && x.datatype() == "BYTES";
  if (!has_images && x.datatype() != "FP32") {
    return WrongDatatype(
        x, takes_images ? "BYTES, one image file per row, or FP32" : "FP32");
  }
  LADDER_ASSIGN_OR_RETURN(const int64_t num_rows,
                          has_images ? x.FirstDimensionOfScalars()
                                     : x.FirstDimension(model.sample_shape));
  if (num_rows < 1 || num_rows > model.max_rows) {
    return x.Error(absl::StrCat("shape[0]: expected 1 to ", model.max_rows,
                                " rows (max_batch_size), got ", num_rows));
  }
  parsed.num_rows = static_cast<size_t>(num_rows);
  if (!has_images) {
    LADDER_ASSIGN_OR_RETURN(parsed.values,
                            x.Floats(parsed.num_rows, model.sample_shape));
    return absl::OkStatus();
  }
  LADDER_ASSIGN_OR_RETURN(const std::vector<absl::string_view> files,
                          x.Bytes(parsed.num_rows));
  for (const absl::string_view file : files) {
    parsed.images.push_back(std::as_bytes(std::span(file)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::string_view>> ParseGroupTensor(
    const InputTensor& group, size_t num_rows) {
  if (group.datatype() != "BYTES") return WrongDatatype(group, "BYTES");
  LADDER_ASSIGN_OR_RETURN(const int64_t num_groups,
                          group.FirstDimensionOfScalars());
  if (num_groups != static_cast<int64_t>(num_rows)) {
    return group.Error(absl::StrCat("shape[0]: expected ", num_rows,
                                    ", the rows of x, got ", num_groups));
  }
  return group.Bytes(num_rows);
}

}  // namespace

absl::StatusOr<InferRequest> ParseInferRequest(
    const inference::ModelInferRequest& request, const ModelSignature& model) {
  InferRequest parsed{.model = request.model_name(),
                      .version = request.model_version(),
                      .id = request.id()};
  LADDER_ASSIGN_OR_RETURN(InferParameters parameters,
                          ParseInferParameters(request.parameters()));
  parsed.routing = std::move(parameters.routing);

  LADDER_ASSIGN_OR_RETURN(parsed.outputs, ParseWantedOutputs(request, model));

  LADDER_ASSIGN_OR_RETURN(const InputTensors inputs,
                          InputTensors::Create(request));
  LADDER_RETURN_IF_ERROR(ParseX(inputs.x(), model, parsed));

  if (!inputs.group().has_value()) {
    const absl::string_view group = request.id();
    parsed.groups.assign(parsed.num_rows, parameters.group.value_or(group));
    return parsed;
  }
  if (parameters.group.has_value()) {
    return absl::InvalidArgumentError(
        "group: expected a parameter or an input, got both");
  }
  LADDER_ASSIGN_OR_RETURN(parsed.groups,
                          ParseGroupTensor(*inputs.group(), parsed.num_rows));
  return parsed;
}

}  // namespace ladder::server
