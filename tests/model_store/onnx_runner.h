#ifndef LADDER_TESTS_MODEL_STORE_ONNX_RUNNER_H_
#define LADDER_TESTS_MODEL_STORE_ONNX_RUNNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ladder::model_store {

struct FloatTensor {
  std::vector<int64_t> shape = {};
  std::vector<float> values = {};
};

// A model of float inputs and outputs on ONNX Runtime's CPU provider. Whatever
// goes wrong is thrown as a std::exception, which fails the test.
class OnnxRunner {
 public:
  explicit OnnxRunner(const std::string& model, int num_threads = 1);
  ~OnnxRunner();

  // All outputs by name.
  std::map<std::string, FloatTensor> Run(
      const std::map<std::string, FloatTensor>& inputs) const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_ONNX_RUNNER_H_
