#include "model_store/inspect/bundle_verify.h"

#include "absl/strings/str_cat.h"
#include "model_store/format/bundle.h"
#include "model_store/format/find_bundles.h"

namespace ladder::model_store {
namespace {

absl::Status VerifyAt(const BundleLocation& location,
                      const routing::Execution& execution) {
  const auto bundle = ReadBundle(location.path, execution);
  if (!bundle.ok()) return bundle.status();
  return location.CheckIdentity(bundle->files.manifest);
}

}  // namespace

absl::StatusOr<VerifyReport> VerifyBundles(
    const std::filesystem::path& directory,
    const routing::Execution& execution) {
  const auto bundles = FindBundles(directory);
  if (!bundles.ok()) return bundles.status();
  VerifyReport report;
  for (const BundleLocation& location : *bundles) {
    const absl::Status status = VerifyAt(location, execution);
    report.all_ok = report.all_ok && status.ok();
    absl::StrAppend(&report.text, status.ok() ? "ok      " : "FAILED  ",
                    location.path.string(), status.ok() ? "" : ": ",
                    status.message(), "\n");
  }
  return report;
}

}  // namespace ladder::model_store
