#ifndef LADDER_SERVER_RPC_FROM_PROTO_H_
#define LADDER_SERVER_RPC_FROM_PROTO_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "model_store/store/model_store.h"
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
    const v1::RouteQuestion& question, const model_store::Model& model);

absl::StatusOr<GroupOptions> GroupOptionsFromProto(
    const v1::GroupOptions& options, const model_store::Model& model);

// The chunk refers to `samples`, which `owner` keeps alive.
absl::StatusOr<SampleChunk> ChunkFromProto(const v1::Samples& samples,
                                           const model_store::Model& model,
                                           const LimitsConfig& limits,
                                           std::shared_ptr<const void> owner);

// Which version `ref` means now. Without a name, the only model that is served;
// without a choice, what ModelStore::Get gives.
// Errors as ModelStore; InvalidArgument if a name is needed.
absl::StatusOr<model_store::ModelHandle> ResolveModel(
    const model_store::ModelStore& store, const v1::ModelRef& ref);

// The models of one stream: what a name meant at first, it means until the end.
// One user at a time.
class PinnedModels {
 public:
  // `store` must outlive it.
  explicit PinnedModels(const model_store::ModelStore& store) : store_(store) {}

  // Resolves `ref` at first, as ResolveModel does, and remembers the answer.
  absl::StatusOr<model_store::ModelHandle> Get(const v1::ModelRef& ref);

 private:
  const model_store::ModelStore& store_;
  std::map<std::string, model_store::ModelHandle> models_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_RPC_FROM_PROTO_H_
