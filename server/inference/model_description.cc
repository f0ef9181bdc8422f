#include "server/inference/model_description.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "server/inference/output_tensor.h"

namespace ladder::server {
namespace {

using inference::DataType;

constexpr char kPlatform[] = "ladder";

// A tensor without its batch dimension.
struct TensorOutline {
  absl::string_view name;
  DataType type;
  std::vector<int64_t> row_shape;
  bool optional = false;
};

std::vector<TensorOutline> Inputs(const ModelSignature& model) {
  // A file or a name per row could do without a dimension of its own, but
  // perf_analyzer cannot fill rows that have none.
  const std::vector<int64_t> one = {1};
  const TensorOutline x =
      model.input_kind == InputKind::kImage
          ? TensorOutline{"x", DataType::TYPE_STRING, one}
          : TensorOutline{"x", DataType::TYPE_FP32, model.sample_shape};
  return {x, {"group", DataType::TYPE_STRING, one, /*optional=*/true}};
}

std::vector<TensorOutline> Outputs(const ModelSignature& model) {
  std::vector<TensorOutline> outlines;
  for (const Output output : kAllOutputs) {
    if (output == Output::kLabel) {
      outlines.push_back({OutputName(output), DataType::TYPE_INT64, {}});
    } else {
      const size_t num_columns = ColumnNames(output, model).size();
      outlines.push_back({OutputName(output),
                          DataType::TYPE_FP32,
                          {static_cast<int64_t>(num_columns)}});
    }
  }
  return outlines;
}

absl::string_view DatatypeName(DataType type) {
  switch (type) {
    case DataType::TYPE_INT64:
      return "INT64";
    case DataType::TYPE_FP32:
      return "FP32";
    default:
      return "BYTES";
  }
}

void Describe(const TensorOutline& outline,
              inference::ModelMetadataResponse::TensorMetadata& tensor) {
  tensor.set_name(std::string(outline.name));
  tensor.set_datatype(std::string(DatatypeName(outline.type)));
  tensor.add_shape(-1);
  tensor.mutable_shape()->Add(outline.row_shape.begin(),
                              outline.row_shape.end());
}

// Of inputs and outputs, which have the same fields here.
template <typename Tensor>
void Describe(const TensorOutline& outline, Tensor& tensor) {
  tensor.set_name(std::string(outline.name));
  tensor.set_data_type(outline.type);
  tensor.mutable_dims()->Add(outline.row_shape.begin(),
                             outline.row_shape.end());
}

// Never throws, whatever bytes the names have.
std::string JsonArray(const std::vector<std::string>& names) {
  return nlohmann::json(names).dump(
      /*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
      nlohmann::json::error_handler_t::replace);
}

void DescribeServing(const ModelDescription& model,
                     inference::ModelConfig& config) {
  for (const uint64_t version : model.versions) {
    config.mutable_version_policy()->mutable_specific()->add_versions(
        static_cast<int64_t>(version));
  }
  auto& batching = *config.mutable_dynamic_batching();
  batching.mutable_preferred_batch_size()->Add(model.batch_sizes.begin(),
                                               model.batch_sizes.end());
  batching.set_max_queue_delay_microseconds(static_cast<uint64_t>(
      std::max<int64_t>(0, absl::ToInt64Microseconds(model.max_batch_delay))));

  inference::ModelInstanceGroup& group = *config.add_instance_group();
  group.set_name(model.name);
  group.set_count(model.instances);
  group.set_kind(inference::ModelInstanceGroup::KIND_CPU);
  if (model.gpu.has_value()) {
    group.set_kind(inference::ModelInstanceGroup::KIND_GPU);
    group.add_gpus(*model.gpu);
  }
}

}  // namespace

inference::ModelMetadataResponse DescribeMetadata(
    const ModelDescription& model) {
  inference::ModelMetadataResponse metadata;
  metadata.set_name(model.name);
  metadata.set_platform(kPlatform);
  for (const uint64_t version : model.versions) {
    metadata.add_versions(absl::StrCat(version));
  }
  for (const TensorOutline& input : Inputs(model.signature)) {
    Describe(input, *metadata.add_inputs());
  }
  for (const TensorOutline& output : Outputs(model.signature)) {
    Describe(output, *metadata.add_outputs());
  }
  return metadata;
}

inference::ModelConfigResponse DescribeConfig(const ModelDescription& model) {
  inference::ModelConfigResponse response;
  inference::ModelConfig& config = *response.mutable_config();
  config.set_name(model.name);
  config.set_platform(kPlatform);
  config.set_backend(kPlatform);
  config.set_max_batch_size(static_cast<int32_t>(std::min<int64_t>(
      model.signature.max_rows, std::numeric_limits<int32_t>::max())));
  for (const TensorOutline& outline : Inputs(model.signature)) {
    inference::ModelInput& input = *config.add_input();
    Describe(outline, input);
    input.set_optional(outline.optional);
  }
  for (const TensorOutline& output : Outputs(model.signature)) {
    Describe(output, *config.add_output());
  }
  DescribeServing(model, config);
  auto& parameters = *config.mutable_parameters();
  parameters["classes"].set_string_value(JsonArray(model.signature.classes));
  parameters["sources"].set_string_value(JsonArray(model.signature.sources));
  return response;
}

}  // namespace ladder::server
