#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_SUMMARY_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_SUMMARY_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

// What a bundle's manifest alone tells.
struct BundleSummary {
  std::filesystem::path path;
  Manifest manifest;
  std::string manifest_text;
  std::string sha256;
  uint64_t size = 0;  // Of all files, by the manifest.
};

// Errors as MappedFile::Open and ParseManifest.
absl::StatusOr<BundleSummary> ReadSummary(const std::filesystem::path& bundle);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_SUMMARY_H_
