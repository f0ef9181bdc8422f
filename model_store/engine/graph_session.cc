#include "model_store/engine/graph_session.h"

#include <onnxruntime_run_options_config_keys.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model_store/engine/ort_status.h"

namespace ladder::model_store {
namespace {

// What a tensor's memory lives in, and what that memory came from.
struct OwnedValue {
  std::shared_ptr<const void> session;
  Ort::Value value;
};

absl::Status Cancelled(absl::string_view name) {
  return absl::CancelledError(absl::StrCat(name, ": stopped by the caller"));
}

size_t ByteSize(const GraphInput& input) {
  size_t size = input.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
                    ? sizeof(int64_t)
                    : sizeof(float);
  for (const int64_t dimension : input.shape) {
    size *= static_cast<size_t>(dimension);
  }
  return size;
}

std::string ShapeName(std::span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

}  // namespace

GraphInput GraphInput::Floats(const char* name, const float* data, Shape shape,
                              Tensor::Place place) {
  return {
      .name = name, .data = data, .shape = std::move(shape), .place = place};
}

GraphInput GraphInput::Matrix(const char* name, const Tensor& tensor) {
  return Floats(name, tensor.data(),
                {static_cast<int64_t>(tensor.rows()),
                 static_cast<int64_t>(tensor.cols())},
                tensor.place());
}

GraphInput GraphInput::Integers(const char* name,
                                std::span<const int64_t> values) {
  return {.name = name,
          .data = values.data(),
          .type = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
          .shape = {static_cast<int64_t>(values.size())}};
}

absl::StatusOr<std::shared_ptr<GraphSession>> GraphSession::Create(
    std::shared_ptr<const Runtime> runtime, std::span<const std::byte> model,
    std::string name, GraphRole role) {
  std::shared_ptr<GraphSession> graph(
      new GraphSession(std::move(runtime), std::move(name), role));
  const size_t num_sessions = graph->runtime_->num_sessions(role);
  for (size_t i = 0; i < num_sessions; ++i) {
    LADDER_ASSIGN_OR_RETURN(
        Ort::Session session,
        graph->runtime_->CreateSession(model, graph->name_, role));
    graph->sessions_.push_back(std::move(session));
  }
  return graph;
}

GraphSession::GraphSession(std::shared_ptr<const Runtime> runtime,
                           std::string name, GraphRole role)
    : runtime_(std::move(runtime)),
      name_(std::move(name)),
      role_(role),
      instances_(runtime_->options().instances) {}

absl::StatusOr<std::vector<Tensor>> GraphSession::Run(
    std::span<const GraphInput> inputs, std::span<const GraphOutput> outputs,
    std::stop_token stop) {
  const absl::StatusOr<InstancePool::Lease> lease = instances_.Acquire(stop);
  if (!lease.ok()) return Cancelled(name_);
  auto made =
      RunOn(lease->instance() % sessions_.size(), inputs, outputs, stop);
  runtime_->NoteRun(made.status());
  return made;
}

absl::Status GraphSession::Warm(std::span<const GraphInput> inputs,
                                std::span<const GraphOutput> outputs,
                                std::stop_token stop) {
  for (size_t session = 0; session < sessions_.size(); ++session) {
    LADDER_RETURN_IF_ERROR(RunOn(session, inputs, outputs, stop).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Tensor>> GraphSession::RunOn(
    size_t session, std::span<const GraphInput> inputs,
    std::span<const GraphOutput> outputs, std::stop_token stop) {
  if (stop.stop_requested()) return Cancelled(name_);
  absl::StatusOr<std::vector<Ort::Value>> values = CatchOrt(
      name_, [&] { return RunOrThrow(session, inputs, outputs, stop); });
  if (role_ == GraphRole::kRouter && !on_cuda()) runtime_->arena().Shrink();
  if (!values.ok()) {
    return stop.stop_requested() ? Cancelled(name_) : values.status();
  }
  std::vector<Tensor> tensors;
  tensors.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    LADDER_ASSIGN_OR_RETURN(Tensor tensor,
                            ToTensor(std::move((*values)[i]), outputs[i]));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<Ort::Value> GraphSession::RunOrThrow(
    size_t session, std::span<const GraphInput> inputs,
    std::span<const GraphOutput> outputs, std::stop_token stop) {
  // New for every run: a terminated one would end the next run as well.
  Ort::RunOptions run_options;
  // Routing is rare and takes up to 2 GiB, which are not to be kept until the
  // next time. On the CPU, RunOn sees to it.
  if (role_ == GraphRole::kRouter && on_cuda()) {
    run_options.AddConfigEntry(
        kOrtRunOptionsConfigEnableMemoryArenaShrinkage,
        absl::StrCat("gpu:", runtime_->device().index).c_str());
  }
  const std::stop_callback terminate(stop, [&run_options]() noexcept {
    const Ort::Status ignored(
        Ort::GetApi().RunOptionsSetTerminate(run_options));
  });

  Ort::IoBinding binding(sessions_[session]);
  for (const GraphInput& input : inputs) {
    // ONNX Runtime does not write to inputs; its interface just does not say
    // so.
    const Ort::Value value = Ort::Value::CreateTensor(
        runtime_->memory(input.place), const_cast<void*>(input.data),
        ByteSize(input), input.shape.data(), input.shape.size(), input.type);
    binding.BindInput(input.name, value);
  }
  for (const GraphOutput& output : outputs) {
    binding.BindOutput(output.name, runtime_->memory(output.place));
  }
  if (on_cuda()) binding.SynchronizeInputs();
  sessions_[session].Run(run_options, binding);
  if (on_cuda()) binding.SynchronizeOutputs();
  return binding.GetOutputValues();
}

absl::StatusOr<Tensor> GraphSession::ToTensor(Ort::Value value,
                                              const GraphOutput& output) {
  const bool is_vector = output.rows == GraphOutput::kVector;
  return CatchOrt(name_, [&]() -> absl::StatusOr<Tensor> {
    const int64_t expected[] = {
        is_vector ? 0 : static_cast<int64_t>(output.rows),
        static_cast<int64_t>(output.cols)};
    const auto expected_shape = std::span(expected).subspan(is_vector ? 1 : 0);
    const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
    const std::vector<int64_t> shape = info.GetShape();
    if (info.GetElementType() != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
      return absl::InternalError(absl::StrCat(
          name_, ": output ", output.name,
          ": expected float32 elements, found type ", info.GetElementType()));
    }
    if (!std::ranges::equal(shape, expected_shape)) {
      return absl::InternalError(absl::StrCat(
          name_, ": output ", output.name, ": expected shape ",
          ShapeName(expected_shape), ", found ", ShapeName(shape)));
    }
    const float* data = value.GetTensorData<float>();
    return Tensor(
        std::make_shared<OwnedValue>(shared_from_this(), std::move(value)),
        data, is_vector ? 1 : output.rows, output.cols, output.place);
  });
}

}  // namespace ladder::model_store
