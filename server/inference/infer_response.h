#ifndef LADDER_SERVER_INFERENCE_INFER_RESPONSE_H_
#define LADDER_SERVER_INFERENCE_INFER_RESPONSE_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"
#include "routing/matrix_view.h"
#include "server/inference/infer_request.h"
#include "server/inference/model_description.h"

namespace ladder::server {

// What a request's rows gave, in their order. Only what the request wants has
// to be there; somebody else owns it.
struct InferResults {
  uint64_t version = 0;                    // The one that answered.
  routing::MatrixView probabilities = {};  // Row x class.
  routing::MatrixView logits = {};         // Row x class.
  std::span<const int64_t> labels = {};    // The index of a class, per row.
  routing::MatrixView weights = {};        // Row x source.
  // Row x source; NaN in the rows of groups whose method measures none.
  routing::MatrixView distances = {};
};

// Writes the outputs that `request` wants into `response`, in its order.
// Internal, naming the output, if results have another shape than the request
// and the model say; `response` is unspecified then.
absl::Status WriteInferResponse(const InferRequest& request,
                                const ModelSignature& model,
                                const InferResults& results,
                                inference::ModelInferResponse& response);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_RESPONSE_H_
