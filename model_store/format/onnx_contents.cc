#include "model_store/format/onnx_contents.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ladder::model_store {
namespace {

using Bytes = std::span<const std::byte>;

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
  if (absl::Status status = CheckInside(tensor); !status.ok()) return status;
  const auto index = FirstNonFinite(tensor, raw_data);
  if (!index.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "tensor \"", tensor.name(),
      "\": expected finite values, found a NaN or infinity at index ", *index));
}

absl::Status CheckInside(const onnx::SparseTensorProto& tensor) {
  if (absl::Status s = CheckInside(tensor.values()); !s.ok()) return s;
  return CheckInside(tensor.indices());
}

absl::Status CheckGraph(const onnx::GraphProto& graph, int depth,
                        std::span<const Bytes> raw_data = {});

absl::Status CheckAttribute(const onnx::AttributeProto& attribute, int depth) {
  if (absl::Status s = CheckInside(attribute.t()); !s.ok()) return s;
  if (absl::Status s = CheckInside(attribute.sparse_tensor()); !s.ok()) {
    return s;
  }
  for (const auto& tensor : attribute.tensors()) {
    if (absl::Status s = CheckInside(tensor); !s.ok()) return s;
  }
  for (const auto& tensor : attribute.sparse_tensors()) {
    if (absl::Status s = CheckInside(tensor); !s.ok()) return s;
  }
  if (attribute.has_g()) {
    if (absl::Status s = CheckGraph(attribute.g(), depth + 1); !s.ok()) {
      return s;
    }
  }
  for (const auto& graph : attribute.graphs()) {
    if (absl::Status s = CheckGraph(graph, depth + 1); !s.ok()) return s;
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
    absl::Status status = CheckAttribute(attribute, depth);
    if (!status.ok()) return status;
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
    absl::Status status = CheckInitializer(
        tensor, raw_data.empty() ? inner : raw_data[static_cast<size_t>(i)]);
    if (!status.ok()) return status;
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    if (absl::Status s = CheckInside(tensor); !s.ok()) return s;
    absl::Status status = CheckInitializer(
        tensor.values(), std::as_bytes(std::span(tensor.values().raw_data())));
    if (!status.ok()) return status;
  }
  for (const auto& node : graph.node()) {
    if (absl::Status s = CheckNode(node, depth); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOnnxContents(const OnnxOutline& outline) {
  const onnx::ModelProto& model = outline.model;
  absl::Status status =
      CheckGraph(model.graph(), /*depth=*/1, outline.raw_data);
  if (!status.ok()) return status;
  for (const auto& function : model.functions()) {
    for (const auto& node : function.node()) {
      if (absl::Status s = CheckNode(node, /*depth=*/1); !s.ok()) return s;
    }
  }
  for (const auto& training : model.training_info()) {
    for (const auto* graph :
         {&training.initialization(), &training.algorithm()}) {
      if (absl::Status s = CheckGraph(*graph, /*depth=*/1); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace ladder::model_store
