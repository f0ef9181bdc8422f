#include "model_store/store/model_store.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model_store/store/store_core.h"

namespace ladder::model_store {

ModelStore::ModelStore(std::unique_ptr<StoreCore> core)
    : core_(std::move(core)) {}

ModelStore::~ModelStore() = default;

absl::StatusOr<std::unique_ptr<ModelStore>> ModelStore::Open(
    std::filesystem::path directory, ModelLoader& loader,
    StoreOptions options) {
  LADDER_RETURN_IF_ERROR(options.Validate());
  LADDER_ASSIGN_OR_RETURN(auto opened,
                          StoreDirectory::Open(std::move(directory)));
  auto core = std::make_unique<StoreCore>(std::move(opened), loader,
                                          std::move(options));
  LADDER_RETURN_IF_ERROR(core->Start());
  return std::unique_ptr<ModelStore>(new ModelStore(std::move(core)));
}

absl::StatusOr<ModelHandle> ModelStore::Get(absl::string_view model) const {
  const auto snapshot = core_->Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Default();
}

absl::StatusOr<ModelHandle> ModelStore::GetVersion(absl::string_view model,
                                                   uint64_t version) const {
  const auto snapshot = core_->Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Version(version);
}

absl::StatusOr<ModelHandle> ModelStore::GetLabelled(
    absl::string_view model, absl::string_view label) const {
  const auto snapshot = core_->Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->Labelled(label);
}

StoreInfo ModelStore::List() const {
  const auto snapshot = core_->Snapshot();
  StoreInfo info = {.path = core_->root(), .status = snapshot->status};
  for (const auto& [name, model] : snapshot->models) {
    info.models.push_back(model->info);
  }
  return info;
}

absl::StatusOr<ModelInfo> ModelStore::Describe(absl::string_view model) const {
  const auto snapshot = core_->Snapshot();
  LADDER_ASSIGN_OR_RETURN(const auto found, snapshot->Find(model));
  return found->info;
}

absl::Status ModelStore::CheckReady(std::span<const std::string> models) const {
  std::vector<std::string> reasons;
  for (const std::string& model : models) {
    const auto handle = Get(model);
    if (!handle.ok()) reasons.emplace_back(handle.status().message());
  }
  if (reasons.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("not ready: ", absl::StrJoin(reasons, "; ")));
}

void ModelStore::WaitUntilIdle() const { core_->WaitUntilIdle(); }

absl::Status ModelStore::Poll() { return core_->Poll(); }

absl::Status ModelStore::Load(absl::string_view model,
                              std::optional<uint64_t> version,
                              const std::stop_token& stop) {
  return core_->Load(std::string(model), version, stop);
}

absl::Status ModelStore::Unload(absl::string_view model,
                                std::optional<uint64_t> version) {
  return core_->Unload(std::string(model), version);
}

absl::Status ModelStore::SetLabel(absl::string_view model,
                                  absl::string_view label, uint64_t version) {
  LADDER_RETURN_IF_ERROR(CheckLabel(label));
  return core_->Change(model, [&](ModelVersions& versions) {
    return versions.SetLabel(std::string(label), version);
  });
}

absl::Status ModelStore::RemoveLabel(absl::string_view model,
                                     absl::string_view label) {
  return core_->Change(model, [&](ModelVersions& versions) {
    return versions.RemoveLabel(std::string(label));
  });
}

}  // namespace ladder::model_store
