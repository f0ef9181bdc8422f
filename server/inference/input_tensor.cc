#include "server/inference/input_tensor.h"

#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/inference/infer_parameters.h"

namespace ladder::server {
namespace {

using inference::InferTensorContents;
using inference::ModelInferRequest;

static_assert(std::endian::native == std::endian::little,
              "Raw contents are used as they are.");

// How long an element of a raw BYTES tensor is, in front of it.
using BytesLength = uint32_t;

constexpr int kMaxInputs = 2;  // x and group.

absl::Status EndsTooEarly(size_t element, absl::string_view part,
                          size_t expected, size_t left) {
  return absl::InvalidArgumentError(
      absl::StrCat("element ", element, ": expected ", expected, " bytes of ",
                   part, ", ", left, " are left"));
}

struct TypedContents {
  absl::string_view field;
  int size;
};

std::vector<TypedContents> AllTypedContents(
    const InferTensorContents& contents) {
  return {{"bool_contents", contents.bool_contents_size()},
          {"int_contents", contents.int_contents_size()},
          {"int64_contents", contents.int64_contents_size()},
          {"uint_contents", contents.uint_contents_size()},
          {"uint64_contents", contents.uint64_contents_size()},
          {"fp32_contents", contents.fp32_contents_size()},
          {"fp64_contents", contents.fp64_contents_size()},
          {"bytes_contents", contents.bytes_contents_size()}};
}

// `field` holds `count` elements and the others, made for other datatypes,
// none.
absl::Status CheckTypedContents(const InferTensorContents& contents,
                                absl::string_view field, size_t count) {
  for (const TypedContents& typed : AllTypedContents(contents)) {
    const size_t expected = typed.field == field ? count : 0;
    if (static_cast<size_t>(typed.size) != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("contents.", typed.field, ": expected ", expected,
                       " elements, got ", typed.size));
    }
  }
  return absl::OkStatus();
}

// "[-1,3,8]": a shape of any number of rows.
std::string AnyRows(std::span<const int64_t> row_shape) {
  return absl::StrCat("[-1", row_shape.empty() ? "" : ",",
                      absl::StrJoin(row_shape, ","), "]");
}

// The elements of `num_rows` rows; none if they, or their bytes, cannot be
// counted.
std::optional<size_t> NumElements(size_t num_rows,
                                  std::span<const int64_t> row_shape) {
  size_t count = num_rows;
  for (const int64_t dimension : row_shape) {
    if (__builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  }
  size_t num_bytes = 0;
  if (__builtin_mul_overflow(count, sizeof(float), &num_bytes)) {
    return std::nullopt;
  }
  return count;
}

// Elements come all raw or all typed.
absl::Status CheckForm(const ModelInferRequest& request) {
  if (request.raw_input_contents().empty()) return absl::OkStatus();
  for (const auto& tensor : request.inputs()) {
    const absl::Status status = CheckTypedContents(tensor.contents(), "", 0);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", QuotedText(tensor.name()), ": ",
                       status.message(), " beside raw_input_contents"));
    }
  }
  if (request.raw_input_contents_size() != request.inputs_size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "raw_input_contents: expected ", request.inputs_size(),
        ", one for each input, got ", request.raw_input_contents_size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<absl::string_view>> SplitBytesTensor(
    absl::string_view raw, size_t count) {
  // Checked before memory is taken for elements that cannot be there.
  if (count > raw.size() / sizeof(BytesLength)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " elements with their lengths, got ",
                     raw.size(), " bytes"));
  }
  std::vector<absl::string_view> elements;
  elements.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (raw.size() < sizeof(BytesLength)) {
      return EndsTooEarly(i, "length", sizeof(BytesLength), raw.size());
    }
    BytesLength length = 0;
    std::memcpy(&length, raw.data(), sizeof(length));
    raw.remove_prefix(sizeof(length));
    if (raw.size() < length) {
      return EndsTooEarly(i, "content", length, raw.size());
    }
    elements.push_back(raw.substr(0, length));
    raw.remove_prefix(length);
  }
  if (!raw.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the end behind ", count, " elements, ",
                     raw.size(), " bytes are left"));
  }
  return elements;
}

absl::Status InputTensor::Error(absl::string_view error) const {
  return absl::InvalidArgumentError(
      absl::StrCat("input ", tensor_->name(), ": ", error));
}

absl::StatusOr<int64_t> InputTensor::FirstDimension(
    std::span<const int64_t> row_shape) const {
  const auto& shape = tensor_->shape();
  if (static_cast<size_t>(shape.size()) != row_shape.size() + 1) {
    return Error(absl::StrCat("shape: expected ", AnyRows(row_shape), ", got ",
                              shape.size(), " dimensions"));
  }
  for (size_t i = 0; i < row_shape.size(); ++i) {
    const int64_t got = shape.Get(static_cast<int>(i + 1));
    if (got != row_shape[i]) {
      return Error(absl::StrCat("shape[", i + 1, "]: expected ", row_shape[i],
                                " of ", AnyRows(row_shape), ", got ", got));
    }
  }
  return shape.Get(0);
}

absl::StatusOr<int64_t> InputTensor::FirstDimensionOfScalars() const {
  constexpr int64_t kOne[] = {1};
  if (tensor_->shape_size() == 2) return FirstDimension(kOne);
  return FirstDimension({});
}

absl::StatusOr<std::span<const float>> InputTensor::Floats(
    size_t num_rows, std::span<const int64_t> row_shape) const {
  const std::optional<size_t> count = NumElements(num_rows, row_shape);
  if (!count.has_value()) {
    return Error(absl::StrCat("shape: ", num_rows, " rows of ",
                              AnyRows(row_shape),
                              " are more elements than can be counted"));
  }
  if (raw_ == nullptr) {
    const InferTensorContents& contents = tensor_->contents();
    const absl::Status status =
        CheckTypedContents(contents, "fp32_contents", *count);
    if (!status.ok()) return Error(status.message());
    return std::span(contents.fp32_contents().data(), *count);
  }
  if (raw_->size() != *count * sizeof(float)) {
    return Error(absl::StrCat("raw_input_contents: expected ",
                              *count * sizeof(float), " bytes, got ",
                              raw_->size()));
  }
  // A string's bytes lie on the heap or in the string, behind its pointer and
  // its size: aligned for floats in both cases.
  return std::span(reinterpret_cast<const float*>(raw_->data()), *count);
}

absl::StatusOr<std::vector<absl::string_view>> InputTensor::Bytes(
    size_t count) const {
  if (raw_ != nullptr) {
    absl::StatusOr<std::vector<absl::string_view>> elements =
        SplitBytesTensor(*raw_, count);
    if (elements.ok()) return elements;
    return Error(
        absl::StrCat("raw_input_contents: ", elements.status().message()));
  }
  const InferTensorContents& contents = tensor_->contents();
  const absl::Status status =
      CheckTypedContents(contents, "bytes_contents", count);
  if (!status.ok()) return Error(status.message());
  return std::vector<absl::string_view>(contents.bytes_contents().begin(),
                                        contents.bytes_contents().end());
}

absl::StatusOr<InputTensors> InputTensors::Create(
    const ModelInferRequest& request) {
  if (request.inputs_size() > kMaxInputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("inputs: expected at most ", kMaxInputs,
                     ", x and group, got ", request.inputs_size()));
  }
  LADDER_RETURN_IF_ERROR(CheckForm(request));

  InputTensors inputs;
  for (int i = 0; i < request.inputs_size(); ++i) {
    const auto& tensor = request.inputs(i);
    if (tensor.name() != "x" && tensor.name() != "group") {
      return absl::InvalidArgumentError(absl::StrCat(
          "inputs: expected x or group, got ", QuotedText(tensor.name())));
    }
    std::optional<InputTensor>& input =
        tensor.name() == "x" ? inputs.x_ : inputs.group_;
    if (input.has_value()) return input->Error("expected once, got twice");
    input.emplace();
    input->tensor_ = &tensor;
    if (!request.raw_input_contents().empty()) {
      input->raw_ = &request.raw_input_contents(i);
    }
    LADDER_RETURN_IF_ERROR(CheckInputParameters(
        tensor.parameters(), absl::StrCat("input ", tensor.name())));
  }
  if (!inputs.x_.has_value()) {
    return absl::InvalidArgumentError("inputs: expected x, which is missing");
  }
  return inputs;
}

}  // namespace ladder::server
