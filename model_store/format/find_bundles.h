#ifndef LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_
#define LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

struct BundleLocation {
  std::filesystem::path path = {};
  // By its folders' names; empty and 0 for a bundle that was named itself.
  std::string model = {};
  uint64_t version = 0;

  // As the CheckIdentity of bundle_identity.h, for a bundle found in a store.
  absl::Status CheckIdentity(const Manifest& manifest) const;
};

// The bundles in `directory`: itself if it has a manifest, the versions of a
// model's folder, or those of all models of a store, by name and number.
// Folders named as versions count even without a manifest. NotFound if there is
// no such directory or no bundle in it.
absl::StatusOr<std::vector<BundleLocation>> FindBundles(
    const std::filesystem::path& directory);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_
