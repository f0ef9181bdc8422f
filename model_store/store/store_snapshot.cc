#include "model_store/store/store_snapshot.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ladder::model_store {
namespace {

// Lists end up in error messages, which travel in a trailer of limited size.
constexpr size_t kMaxListed = 20;

template <typename Items, typename Format>
std::string ListOf(const Items& items, Format format) {
  if (items.empty()) return "none";
  std::vector<std::string> texts;
  for (const auto& item : items) {
    if (texts.size() == kMaxListed) {
      texts.push_back(absl::StrCat("and ", items.size() - kMaxListed, " more"));
      break;
    }
    texts.push_back(format(item));
  }
  return absl::StrJoin(texts, ", ");
}

std::string ServedText(const ModelInfo& info) {
  return absl::StrCat("served: ", ListOf(info.served, [](uint64_t version) {
                        return absl::StrCat(version);
                      }));
}

bool IsComing(const VersionInfo& info) {
  return info.state == VersionState::kLoading || info.waiting;
}

// Why `info`, a version that is not served, cannot be had. `name` says how it
// was asked for.
absl::Status NotServed(const VersionInfo& info, const std::string& name,
                       const std::string& served) {
  const std::string state =
      absl::StrCat(name, " is ", VersionStateName(info.state));
  if (IsComing(info)) {
    return absl::UnavailableError(
        absl::StrCat(state, ": not ready yet; try again later; ", served));
  }
  switch (info.state) {
    case VersionState::kDraining:
      return absl::UnavailableError(
          absl::StrCat(state, ": being unloaded; ", served));
    case VersionState::kFailed:
      return absl::FailedPreconditionError(
          absl::StrCat(state, ": ", info.status.message(), "; ", served));
    default:
      return absl::NotFoundError(
          absl::StrCat(state, ": not to be served; ", served));
  }
}

}  // namespace

absl::StatusOr<ModelHandle> ModelSnapshot::Default() const {
  if (info.labels.contains(kStableLabel)) return Labelled(kStableLabel);
  if (!served.empty()) return served.rbegin()->second;
  const auto& versions = info.versions;
  const auto coming =
      std::find_if(versions.rbegin(), versions.rend(), IsComing);
  const auto failed = std::find_if(
      versions.rbegin(), versions.rend(), [](const VersionInfo& version) {
        return version.state == VersionState::kFailed;
      });
  const auto reason = coming != versions.rend() ? coming : failed;
  if (reason != versions.rend()) {
    return NotServed(
        *reason,
        absl::StrCat("model \"", info.name, "\": version ", reason->version),
        ServedText(info));
  }
  return absl::NotFoundError(absl::StrCat(
      "model \"", info.name, "\" has no served version; on disk: ",
      ListOf(versions, [](const auto& v) { return absl::StrCat(v.version); })));
}

absl::StatusOr<ModelHandle> ModelSnapshot::Version(uint64_t version) const {
  const auto found = served.find(version);
  if (found != served.end()) return found->second;
  const std::string name =
      absl::StrCat("model \"", info.name, "\": version ", version);
  for (const VersionInfo& candidate : info.versions) {
    if (candidate.version == version) {
      return NotServed(candidate, name, ServedText(info));
    }
  }
  return absl::NotFoundError(
      absl::StrCat(name, " does not exist; ", ServedText(info)));
}

absl::StatusOr<ModelHandle> ModelSnapshot::Labelled(
    absl::string_view label) const {
  const auto found = info.labels.find(std::string(label));
  if (found == info.labels.end()) {
    return absl::NotFoundError(absl::StrCat(
        "model \"", info.name, "\" has no label \"", label, "\"; labels: ",
        ListOf(info.labels, [](const auto& item) { return item.first; })));
  }
  auto handle = Version(found->second);
  if (handle.ok()) return handle;
  return absl::Status(
      handle.status().code(),
      absl::StrCat("label \"", label, "\" of ", handle.status().message()));
}

absl::StatusOr<const ModelSnapshot*> StoreSnapshot::Find(
    absl::string_view model) const {
  const auto found = models.find(model);
  if (found != models.end()) return found->second.get();
  return absl::NotFoundError(absl::StrCat(
      "model \"", model, "\" is not in the store; models: ",
      ListOf(models, [](const auto& item) { return item.first; })));
}

}  // namespace ladder::model_store
