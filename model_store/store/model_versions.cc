#include "model_store/store/model_versions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace ladder::model_store {

ModelVersions::ModelVersions(ModelContext context, ModelConfig config,
                             bool by_policy)
    : context_(std::move(context)),
      config_(std::move(config)),
      labels_(config_.labels),
      wanted_labels_(config_.labels) {
  if (!by_policy) chosen_.emplace();
}

void ModelVersions::Observe(const absl::StatusOr<VersionsOnDisk>& found,
                            ScanPurpose purpose) {
  snapshot_ = nullptr;
  const bool has_folder = !absl::IsNotFound(found.status());
  status_ = has_folder ? found.status() : absl::OkStatus();
  if (!status_.ok()) return;
  folder_scans_missed_ =
      has_folder ? 0 : ScansMissed(folder_scans_missed_, purpose);
  const VersionsOnDisk versions = has_folder ? *found : VersionsOnDisk();
  for (const auto& [version, on_disk] : versions) {
    records_.try_emplace(version, context_, version)
        .first->second.Found(on_disk, purpose);
  }
  for (auto& [version, record] : records_) {
    if (!versions.contains(version)) record.Missed(purpose);
  }
  std::erase_if(records_,
                [](const auto& item) { return item.second.IsOver(); });
}

void ModelVersions::Plan() {
  snapshot_ = nullptr;
  SettleLabels();
  ServingPlan plan = NextPlan();
  // A version wanted again while somebody still holds it is there at once.
  bool revived = false;
  for (const uint64_t version : plan.load) {
    revived = records_.at(version).Revive() || revived;
  }
  if (revived) {
    SettleLabels();
    plan = NextPlan();
  }
  for (const uint64_t version : plan.retire) records_.at(version).Retire();
  for (auto& [version, record] : records_) {
    record.SetWanted(plan.load.contains(version));
  }
}

ServingPlan ModelVersions::NextPlan() const {
  return PlanServing(PolicyInForce(), Facts(),
                     /*may_be_empty=*/HasLostFolder());
}

VersionPolicy ModelVersions::PolicyInForce() const {
  return chosen_.has_value() ? VersionPolicy::Specific(*chosen_)
                             : config_.policy;
}

FactsByVersion ModelVersions::Facts() const {
  FactsByVersion facts;
  for (const auto& [version, record] : records_) {
    facts[version] = record.Facts();
    // A label keeps what is served as long as the model exists, and loads it
    // too unless versions are chosen by hand.
    facts[version].labelled = HasLabel(version) && !HasLostFolder() &&
                              (record.IsServing() || !chosen_.has_value());
  }
  return facts;
}

void ModelVersions::ChooseVersion(uint64_t version) {
  std::set<uint64_t> chosen = {version};
  for (const auto& [other, record] : records_) {
    if (record.IsServing() || record.IsBusy()) chosen.insert(other);
  }
  chosen_ = std::move(chosen);
}

void ModelVersions::Retry(std::optional<uint64_t> version) {
  for (auto& [candidate, record] : records_) {
    if (version.value_or(candidate) == candidate) record.Retry();
  }
  Plan();
}

absl::Status ModelVersions::Unload(std::optional<uint64_t> version) {
  std::set<uint64_t> kept;
  std::set<uint64_t> unloaded;
  for (const auto& [candidate, record] : records_) {
    if (!record.IsServing() && !record.IsBusy()) continue;
    const bool meant = version.value_or(candidate) == candidate;
    (meant ? unloaded : kept).insert(candidate);
  }
  if (unloaded.empty()) {
    return absl::NotFoundError(
        version.has_value()
            ? absl::StrCat(NameOf(*version), " is not loaded")
            : absl::StrCat("model \"", context_.model, "\" is not loaded"));
  }
  if (version.has_value() && HasLabel(*version)) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(*version), " has a label; move or remove the label first"));
  }
  chosen_ = std::move(kept);
  for (const uint64_t gone : unloaded) {
    VersionRecord& record = records_.at(gone);
    record.CancelLoad();
    if (record.IsServing()) record.Retire();
  }
  Plan();
  return absl::OkStatus();
}

void ModelVersions::ObserveLabels(const absl::StatusOr<Labels>& found) {
  if (absl::IsNotFound(found.status())) return;
  labels_file_status_ = found.status();
  if (found.ok()) {
    wanted_labels_ = *found;
    // Where both name a label, the file is right.
    wanted_labels_.insert(config_.labels.begin(), config_.labels.end());
  }
  SettleLabels();
}

void ModelVersions::SettleLabels() {
  const Labels before = labels_;
  std::erase_if(labels_, [this](const auto& item) {
    return !wanted_labels_.contains(item.first);
  });
  for (const auto& [label, version] : wanted_labels_) {
    uint64_t& current = labels_.try_emplace(label, version).first->second;
    if (IsServed(version) || !IsServed(current)) current = version;
  }
  absl::Status status = LabelsStatus();
  if (labels_ == before && status == told_labels_status_) return;
  snapshot_ = nullptr;
  told_labels_status_ = status;
  context_.on_labels({.model = context_.model,
                      .labels = labels_,
                      .status = std::move(status)});
}

absl::Status ModelVersions::LabelsStatus() const {
  if (!labels_file_status_.ok()) {
    return absl::Status(labels_file_status_.code(),
                        absl::StrCat("labels stay as they were: ",
                                     labels_file_status_.message()));
  }
  for (const auto& [label, version] : wanted_labels_) {
    const uint64_t current = labels_.at(label);
    if (current == version) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("label \"", label, "\" stays with version ", current,
                     " until version ", version, " is served"));
  }
  return absl::OkStatus();
}

absl::Status ModelVersions::CheckServed(absl::string_view label,
                                        uint64_t version) const {
  const std::string needed =
      absl::StrCat("; label \"", label, "\" needs one that is served");
  const auto found = records_.find(version);
  if (found == records_.end()) {
    return absl::NotFoundError(
        absl::StrCat(NameOf(version), " does not exist", needed));
  }
  if (!found->second.IsServing()) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOf(version), " is ",
                     VersionStateName(found->second.state()), needed));
  }
  return absl::OkStatus();
}

absl::Status ModelVersions::CannotRemove(absl::string_view label) const {
  const std::string name = absl::StrCat("model \"", context_.model, "\" has ");
  if (config_.labels.contains(std::string(label))) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, "the label \"", label,
                     "\" by its configuration; it can be moved only"));
  }
  return absl::NotFoundError(absl::StrCat(name, "no label \"", label, "\""));
}

bool ModelVersions::HasLabel(uint64_t version) const {
  const auto is_its = [&](const auto& item) { return item.second == version; };
  return std::any_of(labels_.begin(), labels_.end(), is_its) ||
         std::any_of(wanted_labels_.begin(), wanted_labels_.end(), is_its);
}

bool ModelVersions::IsServed(uint64_t version) const {
  const auto found = records_.find(version);
  return found != records_.end() && found->second.IsServing();
}

bool ModelVersions::IsBusy(std::optional<uint64_t> version) const {
  return std::any_of(records_.begin(), records_.end(), [&](const auto& item) {
    return version.value_or(item.first) == item.first && item.second.IsBusy();
  });
}

bool ModelVersions::IsServing() const {
  return std::any_of(records_.begin(), records_.end(),
                     [](const auto& item) { return item.second.IsServing(); });
}

absl::Status ModelVersions::Outcome(std::optional<uint64_t> version) const {
  if (version.has_value()) return OutcomeOf(*version);
  FactsByVersion facts = Facts();
  for (auto& [candidate, fact] : facts) fact.failed = false;
  const std::set<uint64_t> wanted = WantedVersions(PolicyInForce(), facts);
  if (wanted.empty()) {
    return absl::NotFoundError(
        absl::StrCat("model \"", context_.model, "\": policy ",
                     PolicyInForce().ToString(), " finds no version on disk"));
  }
  for (auto it = wanted.rbegin(); it != wanted.rend(); ++it) {
    LADDER_RETURN_IF_ERROR(OutcomeOf(*it));
  }
  return absl::OkStatus();
}

absl::Status ModelVersions::OutcomeOf(uint64_t version) const {
  const auto found = records_.find(version);
  if (found == records_.end()) {
    return absl::NotFoundError(
        absl::StrCat(NameOf(version), " is not on disk"));
  }
  const VersionRecord& record = found->second;
  if (!record.status().ok()) {
    return absl::Status(
        record.status().code(),
        absl::StrCat(NameOf(version), ": ", record.status().message()));
  }
  if (record.IsServing()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      NameOf(version), " is ", VersionStateName(record.state()),
      ", not served: policy ", PolicyInForce().ToString(), " is in force"));
}

std::string ModelVersions::NameOf(uint64_t version) const {
  return absl::StrCat("model \"", context_.model, "\": version ", version);
}

std::optional<ModelVersions::Job> ModelVersions::StartLoad() {
  for (auto it = records_.rbegin(); it != records_.rend(); ++it) {
    auto& [version, record] = *it;
    if (!record.CanStartLoad()) continue;
    snapshot_ = nullptr;
    return Job{.version = version, .stop = record.StartLoad()};
  }
  return std::nullopt;
}

void ModelVersions::FinishLoad(uint64_t version,
                               absl::StatusOr<ModelHandle> model) {
  records_.at(version).FinishLoad(std::move(model));
  Plan();
}

void ModelVersions::CancelLoads() {
  for (auto& [version, record] : records_) record.CancelLoad();
}

void ModelVersions::Released(uint64_t version) {
  const auto found = records_.find(version);
  if (found == records_.end()) return;
  found->second.Released();
  Plan();
}

std::shared_ptr<const ModelSnapshot> ModelVersions::Snapshot() {
  if (snapshot_ != nullptr) return snapshot_;
  auto snapshot = std::make_shared<ModelSnapshot>();
  snapshot->info = {
      .name = context_.model,
      .policy = PolicyInForce().ToString(),
      .status = status_,
      .wanted = !HasLostFolder() && !(chosen_.has_value() && chosen_->empty()),
      .labels = labels_,
      .labels_status = LabelsStatus()};
  for (const auto& [version, record] : records_) {
    VersionInfo info = record.Describe();
    for (const auto& [label, labelled] : labels_) {
      if (labelled == version) info.labels.push_back(label);
    }
    snapshot->info.versions.push_back(std::move(info));
    if (!record.IsServing()) continue;
    snapshot->info.served.push_back(version);
    snapshot->served.emplace(version, record.handle());
  }
  if (const auto by_default = snapshot->Default(); by_default.ok()) {
    snapshot->info.default_version = (*by_default)->manifest().version;
  }
  snapshot_ = std::move(snapshot);
  return snapshot_;
}

}  // namespace ladder::model_store
