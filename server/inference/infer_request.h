#ifndef LADDER_SERVER_INFERENCE_INFER_REQUEST_H_
#define LADDER_SERVER_INFERENCE_INFER_REQUEST_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"
#include "server/inference/infer_parameters.h"
#include "server/inference/model_description.h"
#include "server/inference/output_tensor.h"

namespace ladder::server {

// What a ModelInferRequest asks for. Points into the message.
struct InferRequest {
  std::string model = {};
  std::string version = {};  // Empty: the server's choice.
  std::string id = {};
  size_t num_rows = 0;  // At least 1.
  // The samples, each of the model's sample shape; whether they are finite has
  // not been looked at. Empty if there are images in their place: one file per
  // row, still to be decoded, which may be anything, even empty.
  std::span<const float> values = {};
  std::vector<std::span<const std::byte>> images = {};
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
