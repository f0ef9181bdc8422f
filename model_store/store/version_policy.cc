#include "model_store/store/version_policy.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ladder::model_store {
namespace {

bool Admits(const VersionPolicy& policy, uint64_t version) {
  return policy.kind != VersionPolicy::Kind::kSpecific ||
         policy.versions.contains(version);
}

}  // namespace

VersionPolicy VersionPolicy::Latest(size_t count) {
  return {.kind = Kind::kLatest, .count = count};
}

VersionPolicy VersionPolicy::All() { return {.kind = Kind::kAll}; }

VersionPolicy VersionPolicy::Specific(std::set<uint64_t> versions) {
  return {.kind = Kind::kSpecific, .versions = std::move(versions)};
}

absl::Status VersionPolicy::Validate() const {
  if (kind == Kind::kLatest && count == 0) {
    return absl::InvalidArgumentError(
        "policy latest: the number of versions must be positive, got 0");
  }
  if (kind == Kind::kSpecific && versions.empty()) {
    return absl::InvalidArgumentError(
        "policy specific: expected at least one version, got none");
  }
  if (kind == Kind::kSpecific && versions.contains(0)) {
    return absl::InvalidArgumentError(
        "policy specific: versions must be positive, got 0");
  }
  return absl::OkStatus();
}

std::string VersionPolicy::ToString() const {
  switch (kind) {
    case Kind::kLatest:
      return absl::StrCat("latest ", count);
    case Kind::kAll:
      return "all";
    case Kind::kSpecific:
      return versions.empty()
                 ? "no versions"
                 : absl::StrCat("versions ", absl::StrJoin(versions, ", "));
  }
  return "unknown";
}

std::set<uint64_t> WantedVersions(const VersionPolicy& policy,
                                  const FactsByVersion& facts) {
  std::set<uint64_t> wanted;
  size_t left =
      policy.kind == VersionPolicy::Kind::kLatest ? policy.count : facts.size();
  for (auto it = facts.rbegin(); it != facts.rend() && left > 0; ++it) {
    const auto& [version, fact] = *it;
    if (!fact.on_disk || fact.failed || !Admits(policy, version)) continue;
    wanted.insert(version);
    --left;
  }
  for (const auto& [version, fact] : facts) {
    const bool can_be_had = fact.served || (fact.on_disk && !fact.failed);
    if (fact.labelled && can_be_had) wanted.insert(version);
  }
  return wanted;
}

ServingPlan PlanServing(const VersionPolicy& policy,
                        const FactsByVersion& facts, bool may_be_empty) {
  const std::set<uint64_t> wanted = WantedVersions(policy, facts);
  ServingPlan plan;
  for (const uint64_t version : wanted) {
    if (!facts.at(version).served) plan.load.insert(version);
  }
  size_t stand_ins = plan.load.size();
  bool keep_last = wanted.empty() && !may_be_empty;
  for (auto it = facts.rbegin(); it != facts.rend(); ++it) {
    const auto& [version, fact] = *it;
    if (!fact.served || wanted.contains(version)) continue;
    if (stand_ins > 0) {
      --stand_ins;
    } else if (keep_last && Admits(policy, version)) {
      keep_last = false;
    } else {
      plan.retire.insert(version);
    }
  }
  return plan;
}

}  // namespace ladder::model_store
