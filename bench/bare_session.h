#ifndef LADDER_BENCH_BARE_SESSION_H_
#define LADDER_BENCH_BARE_SESSION_H_

#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/measure.h"
#include "model_store/format/file_bytes.h"

namespace ladder::bench {

// Does as a program would that calls ONNX Runtime by itself.
class BareSession {
 public:
  BareSession(const std::filesystem::path& graph, size_t threads)
      : file_(ValueOrDie(model_store::FileBytes::Read(graph))),
        session_(env_, file_.bytes().data(), file_.bytes().size(),
                 Options(threads)) {}

  std::vector<Ort::Value> Run(const std::vector<const char*>& inputs,
                              const std::vector<Ort::Value>& values,
                              const std::vector<const char*>& outputs) {
    return session_.Run(Ort::RunOptions{nullptr}, inputs.data(), values.data(),
                        values.size(), outputs.data(), outputs.size());
  }

  // Codes, which are z_c, z_s and the gate, of the samples in `x`.
  std::vector<Ort::Value> Encode(std::vector<float>& x,
                                 const std::vector<int64_t>& shape) {
    std::vector<Ort::Value> input;
    input.push_back(Tensor(x, shape));
    return Run({"x"}, input, {"z_c", "z_s", "gate"});
  }

  // Refers to `values`.
  static Ort::Value Tensor(std::vector<float>& values,
                           const std::vector<int64_t>& shape) {
    return Ort::Value::CreateTensor<float>(
        Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault),
        values.data(), values.size(), shape.data(), shape.size());
  }

 private:
  static Ort::SessionOptions Options(size_t threads) {
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(static_cast<int>(threads));
    return options;
  }

  Ort::Env env_;
  model_store::FileBytes file_;
  Ort::Session session_;
};

}  // namespace ladder::bench

#endif  // LADDER_BENCH_BARE_SESSION_H_
