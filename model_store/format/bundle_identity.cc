#include "model_store/format/bundle_identity.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ladder::model_store {

uint64_t ParseVersionName(absl::string_view name) {
  uint64_t version = 0;
  if (!absl::SimpleAtoi(name, &version)) return 0;
  return absl::StrCat(version) == name ? version : 0;
}

absl::Status CheckIdentity(const Manifest& manifest, absl::string_view model,
                           uint64_t version) {
  if (manifest.model == model && manifest.version == version) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      kManifestFile, ": expected model \"", model, "\" and version ", version,
      ", as its folders are named, found model \"", manifest.model,
      "\" and version ", manifest.version));
}

}  // namespace ladder::model_store
