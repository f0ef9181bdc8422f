#ifndef LADDER_MODEL_STORE_INSPECT_BUNDLE_REPORT_H_
#define LADDER_MODEL_STORE_INSPECT_BUNDLE_REPORT_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model_store/format/bundle.h"
#include "model_store/format/manifest.h"
#include "routing/execution.h"

namespace ladder::model_store {

// A bundle, as far as its manifest alone tells.
struct BundleSummary {
  std::filesystem::path path;
  ManifestFile file;
  uint64_t size = 0;  // The sum over all files that the manifest lists.

  const Manifest& manifest() const { return file.manifest; }
};

// Errors as ReadManifestFile.
absl::StatusOr<BundleSummary> ReadSummary(const std::filesystem::path& bundle);

// "512 B", "1.5 KB", "2.0 GB": powers of 1000.
std::string SizeText(uint64_t bytes);

// `json`, indented. Paths may hold any bytes; what is not UTF-8 is replaced.
std::string JsonText(const nlohmann::ordered_json& json);

// Safe for a terminal: control characters and quotes are escaped.
std::string Printable(absl::string_view text);

// Shows what routing adds to an encoder: the floats that the method needs, by
// the paper's formula, and the files that hold them.
std::string StorageText(const Manifest& manifest);

// All that a person wants to know of a bundle: what it takes and gives, its
// routing defaults, sources, calibration and files, and what routing costs in
// storage.
std::string BundleText(const BundleSummary& bundle);

// An object with path, sha256, size and the whole manifest.
std::string BundleJson(const BundleSummary& bundle);

enum class ReportFormat { kText, kJson };

// A table of the bundles that FindBundles finds in `directory`, by their
// manifests alone; those that cannot be read are in it with the reason. In JSON
// it is an array of objects. Errors as FindBundles.
absl::StatusOr<std::string> ListBundles(const std::filesystem::path& directory,
                                        ReportFormat format);

struct VerifyReport {
  std::string text;  // A line for every bundle: ok, or FAILED and the reason.
  bool all_ok = true;
};

// Reads and verifies every bundle that FindBundles finds in `directory`, and
// that those of a store are what their folders say. Errors as FindBundles.
absl::StatusOr<VerifyReport> VerifyBundles(
    const std::filesystem::path& directory,
    const routing::Execution& execution);

// Shows what two manifests do not have in common, a line for each; empty if
// nothing.
// Fields are named by their path ("routing.tau: 0.5 -> 0.7"), classes and
// sources by name, added (+) or removed (-); files are compared by checksum.
std::string DiffManifests(const Manifest& a, const Manifest& b);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_BUNDLE_REPORT_H_
