#ifndef LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_
#define LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

// The names of all entries of `directory`. The error, if it cannot be listed,
// is what the system says, after its path.
absl::StatusOr<std::set<std::string>> ListFolder(
    const std::filesystem::path& directory);

// The version that a folder of this name holds: a positive integer without
// leading zeros. 0 for other names.
uint64_t ParseVersionName(absl::string_view name);

// Where a bundle lies.
struct BundleLocation {
  std::filesystem::path path = {};
  // What its folders are named; empty and 0 for a bundle that was named itself.
  std::string model = {};
  uint64_t version = 0;
};

// InvalidArgument, naming both, unless the manifest says what its folders
// `<model>/<version>` say. OK for version 0, a bundle that was named itself.
absl::Status CheckIdentity(const Manifest& manifest, absl::string_view model,
                           uint64_t version);

// The bundles in `directory`: itself if it has a manifest, the versions of a
// model's folder, or those of all models of a store, by name and number.
// Folders named as versions count even without a manifest. NotFound if there is
// no such directory or no bundle in it.
absl::StatusOr<std::vector<BundleLocation>> FindBundles(
    const std::filesystem::path& directory);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_FIND_BUNDLES_H_
