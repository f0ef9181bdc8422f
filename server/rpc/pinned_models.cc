#include "server/rpc/pinned_models.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model_store/format/manifest.h"

namespace ladder::server {
namespace {

absl::StatusOr<std::string> OnlyModel(const model_store::ModelStore& store) {
  std::vector<std::string> served;
  for (const model_store::ModelInfo& model : store.List().models) {
    if (!model.served.empty()) served.push_back(model.name);
  }
  if (served.size() == 1) return served.front();
  if (served.empty()) {
    return absl::UnavailableError("expected a model to be served, none is");
  }
  return absl::InvalidArgumentError(absl::StrCat("model.name: expected one of ",
                                                 absl::StrJoin(served, ", "),
                                                 ", got none"));
}

}  // namespace

absl::StatusOr<model_store::ModelHandle> ResolveModel(
    const model_store::ModelStore& store, const v1::ModelRef& ref) {
  std::string name = ref.name();
  if (name.empty()) {
    LADDER_ASSIGN_OR_RETURN(name, OnlyModel(store));
  }
  LADDER_RETURN_IF_ERROR(model_store::CheckModelName(name));
  switch (ref.choice_case()) {
    case v1::ModelRef::kVersion:
      return store.GetVersion(name, ref.version());
    case v1::ModelRef::kLabel:
      return store.GetLabelled(name, ref.label());
    case v1::ModelRef::CHOICE_NOT_SET:
      break;
  }
  return store.Get(name);
}

absl::StatusOr<model_store::ModelHandle> PinnedModels::Get(
    const v1::ModelRef& ref) {
  // Not the message's bytes, of which callers can make as many as they like.
  const std::string key = absl::StrCat(ref.name(), "/", ref.choice_case(), "/",
                                       ref.version(), "/", ref.label());
  if (const auto found = models_.find(key); found != models_.end()) {
    return found->second;
  }
  absl::StatusOr<model_store::ModelHandle> model = ResolveModel(store_, ref);
  if (model.ok()) models_.emplace(key, *model);
  return model;
}

}  // namespace ladder::server
