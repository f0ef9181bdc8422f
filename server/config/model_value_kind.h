#ifndef LADDER_SERVER_CONFIG_MODEL_VALUE_KIND_H_
#define LADDER_SERVER_CONFIG_MODEL_VALUE_KIND_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model_store/store/version_policy.h"
#include "server/config/value_kind.h"

namespace ladder::server {

// How models and their versions are written. Those with several values can be
// repeated.

// Names with commas in between; with `wildcard`, also "*".
ValueKind<std::vector<std::string>> ModelNamesKind(bool wildcard);

// latest:N, all or specific:N,N,...
ValueKind<model_store::VersionPolicy> VersionPolicyKind();

// MODEL=POLICY with semicolons in between.
ValueKind<std::map<std::string, model_store::VersionPolicy>>
ModelPoliciesKind();

// MODEL:LABEL=VERSION with commas in between.
ValueKind<std::map<std::string, std::map<std::string, uint64_t>>>
ModelLabelsKind();

}  // namespace ladder::server

#endif  // LADDER_SERVER_CONFIG_MODEL_VALUE_KIND_H_
