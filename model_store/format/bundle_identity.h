#ifndef LADDER_MODEL_STORE_FORMAT_BUNDLE_IDENTITY_H_
#define LADDER_MODEL_STORE_FORMAT_BUNDLE_IDENTITY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {

// The version that a folder of this name holds: a positive integer without
// leading zeros. 0 for other names.
uint64_t ParseVersionName(absl::string_view name);

// InvalidArgument, naming both, unless the manifest says what its folders
// `<model>/<version>` say.
absl::Status CheckIdentity(const Manifest& manifest, absl::string_view model,
                           uint64_t version);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_BUNDLE_IDENTITY_H_
