#ifndef LADDER_SERVER_INFERENCE_MODEL_SIGNATURE_H_
#define LADDER_SERVER_INFERENCE_MODEL_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::server {

enum class InputKind {
  kTensor,  // FP32 only.
  kImage,   // BYTES, one JPEG or PNG file per row; FP32 too, ready normalised.
};

// What a model's tensors look like in the Open Inference Protocol.
struct ModelSignature {
  InputKind input_kind = InputKind::kTensor;
  // One sample as the encoder sees it, without the batch dimension.
  std::vector<int64_t> sample_shape = {};
  std::vector<std::string> classes = {};
  std::vector<std::string> sources = {};
  int64_t max_rows = 1;  // Of a request.
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_MODEL_SIGNATURE_H_
