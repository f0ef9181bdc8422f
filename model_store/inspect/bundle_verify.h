#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_VERIFY_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_VERIFY_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "routing/execution.h"

namespace ladder::model_store {

struct VerifyReport {
  std::string text;  // A line for every bundle: ok, or FAILED and the reason.
  bool all_ok = true;
};

// Reads and verifies every bundle that FindBundles finds in `directory`, and
// that those of a store are what their folders say. Errors as FindBundles.
absl::StatusOr<VerifyReport> VerifyBundles(
    const std::filesystem::path& directory,
    const routing::Execution& execution);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_VERIFY_H_
