#ifndef LADDER_MODEL_STORE_FORMAT_ONNX_CHECK_H_
#define LADDER_MODEL_STORE_FORMAT_ONNX_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

// A graph's input or output as the format prescribes it: float32, and for each
// dimension its size or kDynamic.
struct OnnxValue {
  static constexpr int64_t kDynamic = -1;  // Must not be fixed in the graph.

  std::string name = {};
  std::vector<int64_t> shape = {};
};

struct OnnxSignature {
  std::vector<OnnxValue> inputs = {};
  std::vector<OnnxValue> outputs = {};
};

OnnxSignature EncoderSignature(const Manifest& manifest);
OnnxSignature HeadsSignature(const Manifest& manifest);
OnnxSignature RouterSignature(const Manifest& manifest);

// InvalidArgument, naming `file`, the input, output, node or tensor, what was
// expected and what was found, unless `model` is an ONNX model that
//   - has the inputs and outputs of `signature`, in any order, and no others;
//   - keeps all its data inside: no external data, no graph of another file, in
//     subgraphs too;
//   - has finite float initialisers.
absl::Status CheckOnnxModel(std::span<const std::byte> model,
                            absl::string_view file,
                            const OnnxSignature& signature);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_ONNX_CHECK_H_
