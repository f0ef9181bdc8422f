#include "server/inference/model_description.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "model_store/format/manifest.h"
#include "nlohmann/json.hpp"
#include "server/inference/output_tensor.h"

namespace ladder::server {
namespace {

using inference::DataType;

constexpr char kPlatform[] = "ladder";

// Larger groups have a protocol of their own.
constexpr uint64_t kMostRows = 65'536;

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

// Describes an input or an output, which have the same fields here.
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

absl::StatusOr<model_store::ModelHandle> FindModel(
    const model_store::ModelStore& store, const std::string& name,
    const std::string& version) {
  LADDER_RETURN_IF_ERROR(model_store::CheckModelName(name));
  if (version.empty()) return store.Get(name);
  uint64_t number = 0;
  if (absl::SimpleAtoi(version, &number)) {
    return store.GetVersion(name, number);
  }
  return store.GetLabelled(name, version);
}

ModelSignature SignatureOf(const model_store::Model& model,
                           const LimitsConfig& limits) {
  const model_store::Manifest& manifest = model.manifest();
  ModelSignature signature = {
      .input_kind =
          std::holds_alternative<model_store::ImageInput>(manifest.input)
              ? InputKind::kImage
              : InputKind::kTensor,
      .sample_shape = model_store::SampleShape(manifest.input),
      .classes = manifest.classes,
      .max_rows =
          static_cast<int64_t>(std::min(limits.max_group_samples, kMostRows))};
  for (const model_store::Source& source : manifest.sources) {
    signature.sources.push_back(source.name);
  }
  return signature;
}

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
