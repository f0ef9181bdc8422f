#include "model_store/format/onnx_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model_store/format/onnx_contents.h"
#include "model_store/format/onnx_outline.h"

namespace ladder::model_store {
namespace {

using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;
using Dimension = onnx::TensorShapeProto::Dimension;

std::string ExpectedText(const OnnxValue& value) {
  return absl::StrCat("float32 [",
                      absl::StrJoin(value.shape, ", ",
                                    [](std::string* text, int64_t size) {
                                      if (size == OnnxValue::kDynamic) {
                                        absl::StrAppend(text, "dynamic");
                                      } else {
                                        absl::StrAppend(text, size);
                                      }
                                    }),
                      "]");
}

std::string DimensionText(const Dimension& dimension) {
  if (dimension.has_dim_value()) return absl::StrCat(dimension.dim_value());
  return dimension.dim_param().empty() ? "dynamic" : dimension.dim_param();
}

std::string FoundText(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return "something else than a tensor";
  const auto& tensor = type.tensor_type();
  const std::string element_type =
      tensor.elem_type() == onnx::TensorProto::FLOAT
          ? "float32"
          : absl::StrCat("element type ",
                         onnx::TensorProto::DataType_IsValid(tensor.elem_type())
                             ? onnx::TensorProto::DataType_Name(
                                   static_cast<onnx::TensorProto::DataType>(
                                       tensor.elem_type()))
                             : absl::StrCat(tensor.elem_type()));
  if (!tensor.has_shape()) return absl::StrCat(element_type, " without shape");
  return absl::StrCat(
      element_type, " [",
      absl::StrJoin(tensor.shape().dim(), ", ",
                    [](std::string* text, const Dimension& dimension) {
                      absl::StrAppend(text, DimensionText(dimension));
                    }),
      "]");
}

bool DimensionFits(int64_t expected, const Dimension& found) {
  if (expected == OnnxValue::kDynamic) return !found.has_dim_value();
  return found.has_dim_value() && found.dim_value() == expected;
}

bool TypeFits(const OnnxValue& expected, const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape() ||
      type.tensor_type().elem_type() != onnx::TensorProto::FLOAT) {
    return false;
  }
  const auto& dimensions = type.tensor_type().shape().dim();
  return std::equal(expected.shape.begin(), expected.shape.end(),
                    dimensions.begin(), dimensions.end(), DimensionFits);
}

// `kind` is "input" or "output". Values named in `ignored` may be there too.
absl::Status CheckValues(absl::string_view kind,
                         const std::vector<OnnxValue>& expected,
                         const Values& found,
                         const std::set<std::string>& ignored) {
  const auto error = [kind](const std::string& name, const auto&... problem) {
    return absl::InvalidArgumentError(
        absl::StrCat(kind, " \"", name, "\": ", problem...));
  };
  std::set<std::string> found_names;
  for (const onnx::ValueInfoProto& value : found) {
    if (ignored.count(value.name()) > 0) continue;
    const auto match = std::find_if(
        expected.begin(), expected.end(),
        [&](const OnnxValue& v) { return v.name == value.name(); });
    if (match == expected.end()) {
      return error(value.name(), "expected no such ", kind, ", found ",
                   FoundText(value.type()));
    }
    if (!TypeFits(*match, value.type())) {
      return error(value.name(), "expected ", ExpectedText(*match), ", found ",
                   FoundText(value.type()));
    }
    if (!found_names.insert(value.name()).second) {
      return error(value.name(), "expected it once, found it again");
    }
  }
  for (const OnnxValue& value : expected) {
    if (found_names.count(value.name) == 0) {
      return error(value.name, "expected ", ExpectedText(value),
                   ", found none");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckModel(std::span<const std::byte> bytes,
                        const OnnxSignature& signature) {
  const std::optional<OnnxOutline> outline = ParseOnnxOutline(bytes);
  if (!outline.has_value() || !outline->model.has_graph()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an ONNX model of less than 2 GiB, found ",
                     bytes.size(), " bytes of something else"));
  }
  const onnx::GraphProto& graph = outline->model.graph();
  // Older models list their initialisers among the inputs.
  std::set<std::string> initializers;
  for (const auto& tensor : graph.initializer()) {
    initializers.insert(tensor.name());
  }
  absl::Status status =
      CheckValues("input", signature.inputs, graph.input(), initializers);
  if (!status.ok()) return status;
  status = CheckValues("output", signature.outputs, graph.output(), {});
  if (!status.ok()) return status;
  return CheckOnnxContents(*outline);
}

// Any number of rows of `size` values.
OnnxValue RowsOf(std::string name, size_t size) {
  return {.name = std::move(name),
          .shape = {OnnxValue::kDynamic, static_cast<int64_t>(size)}};
}

}  // namespace

OnnxSignature EncoderSignature(const Manifest& manifest) {
  OnnxValue x{.name = "x", .shape = {OnnxValue::kDynamic}};
  for (const int64_t size : SampleShape(manifest.input)) {
    x.shape.push_back(size);
  }
  return {.inputs = {std::move(x)},
          .outputs = {RowsOf("z_c", manifest.content_dimension),
                      RowsOf("z_s", manifest.style_dimension),
                      RowsOf("gate", manifest.num_sources())}};
}

OnnxSignature HeadsSignature(const Manifest& manifest) {
  return {.inputs = {RowsOf("z_c", manifest.content_dimension),
                     RowsOf("weights", manifest.num_sources())},
          .outputs = {RowsOf("logits", manifest.num_classes())}};
}

OnnxSignature RouterSignature(const Manifest& manifest) {
  const auto num_sources = static_cast<int64_t>(manifest.num_sources());
  return {.inputs = {RowsOf("z_s", manifest.style_dimension)},
          .outputs = {{.name = "distances", .shape = {num_sources}}}};
}

absl::Status CheckOnnxModel(std::span<const std::byte> model,
                            absl::string_view file,
                            const OnnxSignature& signature) {
  const absl::Status status = CheckModel(model, signature);
  if (status.ok()) return absl::OkStatus();
  return absl::Status(status.code(),
                      absl::StrCat(file, ": ", status.message()));
}

}  // namespace ladder::model_store
