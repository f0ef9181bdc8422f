#ifndef LADDER_TESTS_MODEL_STORE_CUDA_KERNELS_H_
#define LADDER_TESTS_MODEL_STORE_CUDA_KERNELS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ladder::model_store {

// A node that ONNX Runtime's CUDA provider could not run.
struct NodeOffDevice {
  std::string op = {};
  int64_t version = 0;  // The operator's, in the opset of the model.
  std::string node = {};
  std::string reason = {};
};

std::ostream& operator<<(std::ostream& out, const NodeOffDevice& node);

// The nodes of a serialised model, those in subgraphs included, for which
// tests/testdata/cuda_ep_kernels.tsv has no kernel: at the operator's version
// and, if the node reads or writes floats, for float32. Constants need none.
// Throws if the model cannot be parsed or its types cannot be inferred.
std::vector<NodeOffDevice> FindNodesOffDevice(const std::string& model);

}  // namespace ladder::model_store

#endif  // LADDER_TESTS_MODEL_STORE_CUDA_KERNELS_H_
