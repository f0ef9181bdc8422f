#include "model_store/format/onnx_check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/files/fault.h"
#include "base/status_macros.h"
#include "model_store/format/onnx_outline.h"

namespace ladder::model_store {
namespace {

using Bytes = std::span<const std::byte>;
using Dimension = onnx::TensorShapeProto::Dimension;
using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

constexpr int kMaxGraphDepth = 16;

// The bits of the exponent, all of which are set in infinities and NaNs only.
constexpr uint32_t kFloatExponent = 0x7F80'0000;
constexpr uint64_t kDoubleExponent = 0x7FF0'0000'0000'0000;
constexpr uint16_t kHalfExponent = 0x7C00;
constexpr uint16_t kBfloatExponent = 0x7F80;

// The index of the first of the unaligned numbers in `bytes` that is not
// finite.
template <typename Bits>
std::optional<size_t> FirstNonFinite(Bytes bytes, Bits exponent) {
  const auto exponent_of = [&](size_t i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
    return static_cast<Bits>(bits & exponent);
  };
  // Whole blocks without an early exit, so that the compiler can use vectors.
  constexpr size_t kBlock = 512;
  const size_t count = bytes.size() / sizeof(Bits);
  size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    Bits largest = 0;
    for (size_t k = 0; k < kBlock; ++k) {
      largest = std::max(largest, exponent_of(i + k));
    }
    if (largest == exponent) break;
  }
  for (; i < count; ++i) {
    if (exponent_of(i) == exponent) return i;
  }
  return {};
}

template <typename T>
Bytes FieldBytes(const google::protobuf::RepeatedField<T>& field) {
  return std::as_bytes(std::span(field.data(), field.size()));
}

std::optional<size_t> FirstNonFinite(const onnx::TensorProto& tensor,
                                     Bytes raw_data) {
  const bool is_raw = !raw_data.empty();
  const auto find_half = [&](uint16_t exponent) {
    return is_raw ? FirstNonFinite<uint16_t>(raw_data, exponent)
                  : FirstNonFinite<uint32_t>(FieldBytes(tensor.int32_data()),
                                             exponent);
  };
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return FirstNonFinite<uint32_t>(
          is_raw ? raw_data : FieldBytes(tensor.float_data()), kFloatExponent);
    case onnx::TensorProto::DOUBLE:
      return FirstNonFinite<uint64_t>(
          is_raw ? raw_data : FieldBytes(tensor.double_data()),
          kDoubleExponent);
    case onnx::TensorProto::FLOAT16:
      return find_half(kHalfExponent);
    case onnx::TensorProto::BFLOAT16:
      return find_half(kBfloatExponent);
    default:
      return {};
  }
}

absl::Status CheckInside(const onnx::TensorProto& tensor) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL &&
      tensor.external_data().empty()) {
    return absl::OkStatus();
  }
  std::string location = "an unnamed file";
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      location = absl::StrCat("\"", entry.value(), "\"");
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "tensor \"", tensor.name(),
      "\": expected its data inside the model, found external data in ",
      location));
}

absl::Status CheckInitializer(const onnx::TensorProto& tensor, Bytes raw_data) {
  LADDER_RETURN_IF_ERROR(CheckInside(tensor));
  const auto index = FirstNonFinite(tensor, raw_data);
  if (!index.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "tensor \"", tensor.name(),
      "\": expected finite values, found a NaN or infinity at index ", *index));
}

absl::Status CheckInside(const onnx::SparseTensorProto& tensor) {
  LADDER_RETURN_IF_ERROR(CheckInside(tensor.values()));
  return CheckInside(tensor.indices());
}

absl::Status CheckGraph(const onnx::GraphProto& graph, int depth,
                        std::span<const Bytes> raw_data = {});

absl::Status CheckAttribute(const onnx::AttributeProto& attribute, int depth) {
  LADDER_RETURN_IF_ERROR(CheckInside(attribute.t()));
  LADDER_RETURN_IF_ERROR(CheckInside(attribute.sparse_tensor()));
  for (const auto& tensor : attribute.tensors()) {
    LADDER_RETURN_IF_ERROR(CheckInside(tensor));
  }
  for (const auto& tensor : attribute.sparse_tensors()) {
    LADDER_RETURN_IF_ERROR(CheckInside(tensor));
  }
  if (attribute.has_g()) {
    LADDER_RETURN_IF_ERROR(CheckGraph(attribute.g(), depth + 1));
  }
  for (const auto& graph : attribute.graphs()) {
    LADDER_RETURN_IF_ERROR(CheckGraph(graph, depth + 1));
  }
  return absl::OkStatus();
}

absl::Status CheckNode(const onnx::NodeProto& node, int depth) {
  // ONNX Runtime's way to run what a provider has compiled, which it may load
  // from another file.
  if (node.op_type() == "EPContext") {
    return absl::InvalidArgumentError(absl::StrCat(
        "node \"", node.name(),
        "\": expected a graph that is all inside the model, found an "
        "EPContext, which may run another file"));
  }
  for (const auto& attribute : node.attribute()) {
    LADDER_RETURN_IF_ERROR(CheckAttribute(attribute, depth));
  }
  return absl::OkStatus();
}

// `raw_data` is what an outline left out of the initialisers, if it did.
absl::Status CheckGraph(const onnx::GraphProto& graph, int depth,
                        std::span<const Bytes> raw_data) {
  if (depth > kMaxGraphDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph \"", graph.name(), "\": expected at most ",
                     kMaxGraphDepth, " graphs inside each other, found more"));
  }
  for (int i = 0; i < graph.initializer_size(); ++i) {
    const onnx::TensorProto& tensor = graph.initializer(i);
    const Bytes inner = std::as_bytes(std::span(tensor.raw_data()));
    LADDER_RETURN_IF_ERROR(CheckInitializer(
        tensor, raw_data.empty() ? inner : raw_data[static_cast<size_t>(i)]));
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    LADDER_RETURN_IF_ERROR(CheckInside(tensor));
    LADDER_RETURN_IF_ERROR(CheckInitializer(
        tensor.values(), std::as_bytes(std::span(tensor.values().raw_data()))));
  }
  for (const auto& node : graph.node()) {
    LADDER_RETURN_IF_ERROR(CheckNode(node, depth));
  }
  return absl::OkStatus();
}

// Looks at the main graph, subgraphs, functions and training graphs: all data
// must be inside the model, and initialisers finite.
absl::Status CheckOnnxContents(const OnnxOutline& outline) {
  const onnx::ModelProto& model = outline.model;
  LADDER_RETURN_IF_ERROR(
      CheckGraph(model.graph(), /*depth=*/1, outline.raw_data));
  for (const auto& function : model.functions()) {
    for (const auto& node : function.node()) {
      LADDER_RETURN_IF_ERROR(CheckNode(node, /*depth=*/1));
    }
  }
  for (const auto& training : model.training_info()) {
    for (const auto* graph :
         {&training.initialization(), &training.algorithm()}) {
      LADDER_RETURN_IF_ERROR(CheckGraph(*graph, /*depth=*/1));
    }
  }
  return absl::OkStatus();
}

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
  LADDER_RETURN_IF_ERROR(
      CheckValues("input", signature.inputs, graph.input(), initializers));
  LADDER_RETURN_IF_ERROR(
      CheckValues("output", signature.outputs, graph.output(), {}));
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
  return base::AtPlace(file, CheckModel(model, signature));
}

}  // namespace ladder::model_store
