#ifndef LADDER_MODEL_STORE_STORE_VERSION_POLICY_H_
#define LADDER_MODEL_STORE_STORE_VERSION_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"

namespace ladder::model_store {

// Which of a model's versions to serve.
struct VersionPolicy {
  enum class Kind {
    kLatest,    // The `count` highest that can be loaded.
    kAll,       // Every one that can be loaded.
    kSpecific,  // Those of `versions` that can be loaded.
  };

  Kind kind = Kind::kLatest;
  size_t count = 1;
  std::set<uint64_t> versions = {};

  static VersionPolicy Latest(size_t count);
  static VersionPolicy All();
  static VersionPolicy Specific(std::set<uint64_t> versions);

  // InvalidArgument if it could never choose a version.
  absl::Status Validate() const;

  // "latest 2", "all", "versions 3, 5" or "no versions".
  std::string ToString() const;
};

// What matters of a version to a plan.
struct VersionFacts {
  bool on_disk = false;
  bool failed = false;  // And there is no reason to try again.
  bool served = false;
  bool labelled = false;  // Wanted whatever the policy says.
};

using FactsByVersion = std::map<uint64_t, VersionFacts>;

struct ServingPlan {
  std::set<uint64_t> load;    // Wanted and not served.
  std::set<uint64_t> retire;  // Served and not needed any more.
};

// What the policy and the labels ask for, of what could be served.
std::set<uint64_t> WantedVersions(const VersionPolicy& policy,
                                  const FactsByVersion& facts);

// How to get from what is served to what is wanted without a gap: for every
// wanted version that is not served yet, the highest of those not wanted stays
// in its place. If nothing is wanted because the files have gone, the highest
// version that the policy would choose stays, unless `may_be_empty`.
ServingPlan PlanServing(const VersionPolicy& policy,
                        const FactsByVersion& facts, bool may_be_empty);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_STORE_VERSION_POLICY_H_
