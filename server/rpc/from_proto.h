#ifndef LADDER_SERVER_RPC_FROM_PROTO_H_
#define LADDER_SERVER_RPC_FROM_PROTO_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "server/config/server_config.h"
#include "server/groups/group_intake.h"
#include "server/groups/group_options.h"

namespace ladder::server {

// From the wire to the core. What comes from the wire is checked here, once:
// InvalidArgument names the field, what was expected and what came.

// InvalidArgument, naming the flag, if `name` is too long; `what` says what
// kind of names it is one of, such as "ids".
absl::Status CheckNameLength(absl::string_view what, absl::string_view name,
                             const LimitsConfig& limits);

absl::StatusOr<RouteQuestion> QuestionFromProto(
    const v1::RoutingOptions& routing, uint64_t min_samples,
    v1::Fallback fallback, std::optional<double> soften_factor,
    const model_store::Model& model);

absl::StatusOr<GroupOptions> GroupOptionsFromProto(
    const v1::GroupOptions& options, const model_store::Model& model);

// The chunk refers to `samples`, which `owner` keeps alive.
absl::StatusOr<SampleChunk> ChunkFromProto(const v1::Samples& samples,
                                           const model_store::Model& model,
                                           const LimitsConfig& limits,
                                           std::shared_ptr<const void> owner);

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_FROM_PROTO_H_
