#ifndef LADDER_SERVER_INFERENCE_INPUT_TENSOR_H_
#define LADDER_SERVER_INFERENCE_INPUT_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"

namespace ladder::server {

// The `count` elements of the raw form of a BYTES tensor, into which they
// point: element after element, each behind its length as four little-endian
// bytes. InvalidArgument, naming the element, if `raw` ends too early or too
// late.
absl::StatusOr<std::vector<absl::string_view>> SplitBytesTensor(
    absl::string_view raw, size_t count);

// One input of a request, whose elements came in either of the protocol's two
// forms. A view: the request must outlive it and all that it returns.
//
// Errors are InvalidArgument and begin with the tensor's name.
class InputTensor {
 public:
  absl::string_view datatype() const { return tensor_->datatype(); }

  // The first dimension, whatever it is, if the others are those of
  // `row_shape`.
  absl::StatusOr<int64_t> FirstDimension(
      std::span<const int64_t> row_shape) const;

  // The first dimension, whatever it is, of [rows] or [rows, 1].
  absl::StatusOr<int64_t> FirstDimensionOfScalars() const;

  // The elements of an FP32 tensor of this many rows. Not copied.
  absl::StatusOr<std::span<const float>> Floats(
      size_t num_rows, std::span<const int64_t> row_shape) const;

  // The elements of a BYTES tensor. Not copied.
  absl::StatusOr<std::vector<absl::string_view>> Bytes(size_t count) const;

  // `error` with the tensor's name in front.
  absl::Status Error(absl::string_view error) const;

 private:
  friend class InputTensors;

  const inference::ModelInferRequest::InferInputTensor* tensor_ = nullptr;
  const std::string* raw_ = nullptr;  // Null if the elements are in `tensor_`.
};

// The inputs that requests can have.
class InputTensors {
 public:
  // InvalidArgument, naming the tensor, if `x` is missing, an input is unknown
  // or comes twice, has a parameter, or if elements came in both forms.
  static absl::StatusOr<InputTensors> Create(
      const inference::ModelInferRequest& request);

  const InputTensor& x() const { return *x_; }
  const std::optional<InputTensor>& group() const { return group_; }

 private:
  std::optional<InputTensor> x_;
  std::optional<InputTensor> group_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INPUT_TENSOR_H_
