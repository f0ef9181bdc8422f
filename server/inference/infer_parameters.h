#ifndef LADDER_SERVER_INFERENCE_INFER_PARAMETERS_H_
#define LADDER_SERVER_INFERENCE_INFER_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "inference/grpc_service.pb.h"
#include "routing/weights.h"

namespace ladder::server {

// What a caller sent, safe to stand in an error message: in quotes, without
// control characters, its beginning only if it is long.
std::string QuotedText(absl::string_view text);

using InferParameterMap =
    google::protobuf::Map<std::string, inference::InferParameter>;

// How a request wants its groups to be routed. What is not set is left to the
// model. Only the form is checked here, not whether `k` and `tau` suit the
// model or `fallback` exists: that is the same for all protocols.
struct RequestedRouting {
  std::optional<routing::Method> method = {};  // Never kFixed.
  std::optional<size_t> k = {};                // Or routing::kAllSources.
  std::optional<double> tau = {};
  std::optional<uint64_t> min_samples = {};
  std::optional<std::string> fallback = {};
};

struct InferParameters {
  std::optional<absl::string_view> group = {};  // Points into the map.
  RequestedRouting routing = {};
};

// Reads the parameters of a request. Numbers may come as text too. Those that
// Triton reserves for itself are accepted and mean nothing here: a request's
// deadline is that of its call, and nothing is kept between requests.
// InvalidArgument, naming the parameter, what was expected and what came.
absl::StatusOr<InferParameters> ParseInferParameters(
    const InferParameterMap& parameters);

// "classification" among the parameters of an output: above 0 if it is there.
// InvalidArgument, beginning with `where`, as above.
absl::StatusOr<std::optional<int64_t>> ParseClassification(
    const InferParameterMap& parameters, absl::string_view where);

// InvalidArgument, beginning with `where`, if an input has a parameter that
// would change what it holds: there is no shared memory.
absl::Status CheckInputParameters(const InferParameterMap& parameters,
                                  absl::string_view where);

}  // namespace ladder::server

#endif  // LADDER_SERVER_INFERENCE_INFER_PARAMETERS_H_
