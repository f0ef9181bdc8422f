#ifndef LADDER_SERVER_RPC_CONVERT_H_
#define LADDER_SERVER_RPC_CONVERT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "server/groups/group.h"
#include "server/groups/group_options.h"
#include "server/groups/route_group.h"

namespace ladder::server {

// Between the wire and the core. What comes from the wire is checked here,
// once: InvalidArgument names the field, what was expected and what came.

absl::StatusOr<RouteQuestion> QuestionFromProto(
    const v1::RoutingOptions& routing, uint64_t min_samples,
    v1::Fallback fallback, std::optional<double> soften_factor,
    const model_store::Model& model);

absl::StatusOr<GroupOptions> GroupOptionsFromProto(
    const v1::GroupOptions& options, const model_store::Model& model);

// The chunk refers to `samples`, which `owner` keeps alive.
absl::StatusOr<SampleChunk> ChunkFromProto(const v1::Samples& samples,
                                           const model_store::Model& model,
                                           uint64_t max_id_bytes,
                                           std::shared_ptr<const void> owner);

void RoutingToProto(const model_store::Model& model,
                    const RoutingAnswer& answer, v1::Routing& proto);

void PredictionsToProto(const model_store::Model& model, PredictionRows rows,
                        v1::Predictions& proto);

void RejectedToProto(RejectedSample rejected, v1::RejectedSample& proto);

v1::Method MethodToProto(routing::Method method);

void DurationToProto(absl::Duration duration,
                     google::protobuf::Duration& proto);

void MatrixToProto(std::span<const float> values, size_t columns,
                   v1::Matrix& proto);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_CONVERT_H_
