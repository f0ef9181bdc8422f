#ifndef LADDER_TESTS_SERVER_INFERENCE_REQUEST_BUILDER_H_
#define LADDER_TESTS_SERVER_INFERENCE_REQUEST_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "inference/grpc_service.pb.h"
#include "server/inference/model_description.h"

namespace ladder::server {

// Samples of [2, 3]; three classes, two sources; at most four rows.
inline ModelSignature TensorModel() {
  return {.input_kind = InputKind::kTensor,
          .sample_shape = {2, 3},
          .classes = {"cat", "dog", "owl"},
          .sources = {"north", "south"},
          .max_rows = 4};
}

inline ModelSignature ImageModel() {
  ModelSignature model = TensorModel();
  model.input_kind = InputKind::kImage;
  model.sample_shape = {3, 1, 2};
  return model;
}

inline std::string RawFloats(const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

// Lengths byte by byte, so that the test does not depend on how the code does.
inline std::string RawBytes(const std::vector<std::string>& elements) {
  std::string raw;
  for (const std::string& element : elements) {
    for (int shift = 0; shift < 32; shift += 8) {
      raw.push_back(static_cast<char>((element.size() >> shift) & 0xFF));
    }
    raw += element;
  }
  return raw;
}

inline inference::ModelInferRequest::InferInputTensor& AddInput(
    inference::ModelInferRequest& request, const std::string& name,
    const std::string& datatype, std::initializer_list<int64_t> shape) {
  auto& input = *request.add_inputs();
  input.set_name(name);
  input.set_datatype(datatype);
  for (const int64_t dimension : shape) input.add_shape(dimension);
  return input;
}

// Two rows, 0 to 11, for TensorModel.
inline inference::ModelInferRequest TwoTensors() {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_id("request-1");
  AddInput(request, "x", "FP32", {2, 2, 3});
  request.add_raw_input_contents(
      RawFloats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  return request;
}

// Three rows for ImageModel, one of them empty.
inline inference::ModelInferRequest ThreeImages() {
  inference::ModelInferRequest request;
  AddInput(request, "x", "BYTES", {3});
  request.add_raw_input_contents(
      RawBytes({"first", "", std::string("\0z", 2)}));
  return request;
}

// Adds groups, one per row, to a request whose other inputs are raw.
inline inference::ModelInferRequest WithGroups(
    inference::ModelInferRequest request,
    const std::vector<std::string>& groups) {
  AddInput(request, "group", "BYTES", {static_cast<int64_t>(groups.size())});
  request.add_raw_input_contents(RawBytes(groups));
  return request;
}

}  // namespace ladder::server

#endif  // LADDER_TESTS_SERVER_INFERENCE_REQUEST_BUILDER_H_
