#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_LIST_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_LIST_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"

namespace ladder::model_store {

enum class OutputFormat { kText, kJson };

// A table of the bundles that FindBundles finds in `directory`, by their
// manifests alone; those that cannot be read are in it with the reason. As JSON
// an array of objects. Errors as FindBundles.
absl::StatusOr<std::string> ListBundles(const std::filesystem::path& directory,
                                        OutputFormat format);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_LIST_H_
