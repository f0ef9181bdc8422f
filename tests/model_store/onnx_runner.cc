#include "tests/model_store/onnx_runner.h"

#include <cstddef>

#include "onnxruntime_cxx_api.h"

namespace ladder::model_store {

struct OnnxRunner::Session {
  Ort::Env env{ORT_LOGGING_LEVEL_ERROR, "test"};
  Ort::Session session{nullptr};
};

OnnxRunner::OnnxRunner(const std::string& model, int num_threads)
    : session_(std::make_unique<Session>()) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(num_threads);
  session_->session =
      Ort::Session(session_->env, model.data(), model.size(), options);
}

OnnxRunner::~OnnxRunner() = default;

std::map<std::string, FloatTensor> OnnxRunner::Run(
    const std::map<std::string, FloatTensor>& inputs) const {
  const auto memory =
      Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::vector<const char*> input_names;
  std::vector<Ort::Value> input_values;
  for (const auto& [name, tensor] : inputs) {
    input_names.push_back(name.c_str());
    // ONNX Runtime takes all tensors as writable, and does not write inputs.
    input_values.push_back(Ort::Value::CreateTensor<float>(
        memory, const_cast<float*>(tensor.values.data()), tensor.values.size(),
        tensor.shape.data(), tensor.shape.size()));
  }
  Ort::AllocatorWithDefaultOptions allocator;
  std::vector<std::string> outputs;
  for (size_t i = 0; i < session_->session.GetOutputCount(); ++i) {
    outputs.emplace_back(
        session_->session.GetOutputNameAllocated(i, allocator).get());
  }
  std::vector<const char*> output_names;
  for (const std::string& name : outputs) output_names.push_back(name.c_str());

  const std::vector<Ort::Value> values = session_->session.Run(
      Ort::RunOptions(), input_names.data(), input_values.data(),
      input_values.size(), output_names.data(), output_names.size());

  std::map<std::string, FloatTensor> results;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto info = values[i].GetTensorTypeAndShapeInfo();
    const float* data = values[i].GetTensorData<float>();
    results[outputs[i]] = {.shape = info.GetShape(),
                           .values = {data, data + info.GetElementCount()}};
  }
  return results;
}

}  // namespace ladder::model_store
