#ifndef LADDER_MODEL_STORE_STORE_STORE_SNAPSHOT_H_
#define LADDER_MODEL_STORE_STORE_STORE_SNAPSHOT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/engine/model.h"
#include "model_store/store/store_info.h"

namespace ladder::model_store {

// One model at one moment. Immutable once it is published.
//
// Lookups fail with NotFound if there is no such version or label or if it is
// not meant to be served, Unavailable if it is being loaded or drained, and
// FailedPrecondition if it could not be loaded; messages name model, version or
// label, its state, and what is served.
struct ModelSnapshot {
  ModelInfo info = {};
  std::map<uint64_t, ModelHandle> served = {};

  // The version labelled "stable" if there is that label, else the highest
  // served.
  absl::StatusOr<ModelHandle> Default() const;
  absl::StatusOr<ModelHandle> Version(uint64_t version) const;
  absl::StatusOr<ModelHandle> Labelled(absl::string_view label) const;
};

// The whole store at one moment. Immutable once it is published.
struct StoreSnapshot {
  using Models =
      std::map<std::string, std::shared_ptr<const ModelSnapshot>, std::less<>>;

  absl::Status status = {};
  Models models = {};

  // NotFound, naming the models that exist, if there is no such model. The
  // result lives as long as the snapshot.
  absl::StatusOr<const ModelSnapshot*> Find(absl::string_view model) const;
};

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_STORE_SNAPSHOT_H_
