#ifndef LADDER_SERVER_RPC_PINNED_MODELS_H_
#define LADDER_SERVER_RPC_PINNED_MODELS_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ladder/v1/domain_routing.pb.h"
#include "model_store/engine/model.h"
#include "model_store/store/model_store.h"

namespace ladder::server {

// Which version `ref` means now. Without a name, the only model that is served.
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

#endif  // LADDER_SERVER_RPC_PINNED_MODELS_H_
