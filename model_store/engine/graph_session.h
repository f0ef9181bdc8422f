#ifndef LADDER_MODEL_STORE_ENGINE_GRAPH_SESSION_H_
#define LADDER_MODEL_STORE_ENGINE_GRAPH_SESSION_H_

#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/engine/instance_pool.h"
#include "model_store/engine/runtime.h"
#include "model_store/engine/tensor.h"

namespace ladder::model_store {

// Memory that a run reads, where it lies and without a copy if that is where
// the graph needs it.
struct GraphInput {
  using Shape = absl::InlinedVector<int64_t, 4>;

  static GraphInput Floats(const char* name, const float* data, Shape shape,
                           Tensor::Place place);
  static GraphInput Matrix(const char* name, const Tensor& tensor);
  static GraphInput Integers(const char* name, std::span<const int64_t> values);

  const char* name = nullptr;
  const void* data = nullptr;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  Shape shape = {};
  Tensor::Place place = Tensor::Place::kHost;
};

// A float matrix that a run makes: what is wanted, and where.
struct GraphOutput {
  static constexpr size_t kVector = SIZE_MAX;

  const char* name = nullptr;
  Tensor::Place place = Tensor::Place::kHost;
  size_t rows = kVector;  // kVector: a list of `cols`, given as one row.
  size_t cols = 0;
};

// One ONNX graph, ready to run on the runtime's device by as many callers at
// once as the engine has instances.
//
// Thread-safe. Tensors that it made keep it alive.
class GraphSession : public std::enable_shared_from_this<GraphSession> {
 public:
  // Parses `model`, which need not stay; `name` is its file's, for messages.
  static absl::StatusOr<std::shared_ptr<GraphSession>> Create(
      std::shared_ptr<const Runtime> runtime, std::span<const std::byte> model,
      std::string name, GraphRole role);

  // Waits for its turn and runs. The tensors come in the order of `outputs`.
  // Cancelled if `stop` was requested, also in the middle; InvalidArgument if
  // an input does not fit; ResourceExhausted if memory does not suffice;
  // Internal if the graph fails or an output has another type or shape, naming
  // graph, output, expected and found.
  absl::StatusOr<std::vector<Tensor>> Run(std::span<const GraphInput> inputs,
                                          std::span<const GraphOutput> outputs,
                                          std::stop_token stop);

  // Runs once in every session, whoever else runs there: the first run of a
  // shape is slow, because it plans memory and chooses algorithms.
  absl::Status Warm(std::span<const GraphInput> inputs,
                    std::span<const GraphOutput> outputs, std::stop_token stop);

 private:
  GraphSession(std::shared_ptr<const Runtime> runtime, std::string name,
               GraphRole role);

  absl::StatusOr<std::vector<Tensor>> RunOn(
      size_t session, std::span<const GraphInput> inputs,
      std::span<const GraphOutput> outputs, std::stop_token stop);
  // Throws Ort::Exception.
  std::vector<Ort::Value> RunOrThrow(size_t session,
                                     std::span<const GraphInput> inputs,
                                     std::span<const GraphOutput> outputs,
                                     std::stop_token stop);
  absl::StatusOr<Tensor> ToTensor(Ort::Value value, const GraphOutput& output);

  bool on_cuda() const {
    return runtime_->device().kind == Device::Kind::kCuda;
  }

  const std::shared_ptr<const Runtime> runtime_;
  const std::string name_;
  const GraphRole role_;
  std::vector<Ort::Session> sessions_;
  InstancePool instances_;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_ENGINE_GRAPH_SESSION_H_
