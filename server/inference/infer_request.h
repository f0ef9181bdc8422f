#ifndef LADDER_SERVER_INFERENCE_INFER_REQUEST_H_
#define LADDER_SERVER_INFERENCE_INFER_REQUEST_H_

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"
#include "server/inference/infer_parameters.h"
#include "server/inference/model_description.h"
#include "server/inference/output_tensor.h"

namespace ladder::server {

// Samples one after the other, each of the model's sample shape. Whether they
// are finite has not been looked at.
struct TensorRows {
  std::span<const float> values = {};
};

// One file per row, still to be decoded; may be anything, even empty.
struct ImageRows {
  std::vector<std::span<const std::byte>> files = {};
};

// What a ModelInferRequest asks for. Points into the message.
struct InferRequest {
  std::string model = {};
  std::string version = {};  // Empty: the server's choice.
  std::string id = {};
  size_t num_rows = 0;  // At least 1.
  std::variant<TensorRows, ImageRows> x = {};
  std::vector<absl::string_view> groups = {};  // The group of each row.
  RequestedRouting routing = {};
  std::vector<WantedOutput> outputs = {};  // At least one.
};

// Checks `request` against the model that it names. Rows belong to the group of
// input `group`, else of parameter `group`, else to one named like the
// request's id. InvalidArgument, naming the tensor, dimension or parameter,
// what was expected and what came.
absl::StatusOr<InferRequest> ParseInferRequest(
    const inference::ModelInferRequest& request, const ModelSignature& model);

// The request would point into a message that is gone.
absl::StatusOr<InferRequest> ParseInferRequest(
    inference::ModelInferRequest&& request,
    const ModelSignature& model) = delete;

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_REQUEST_H_
