#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/terminal/table.h"
#include "model_store/format/find_bundles.h"
#include "model_store/inspect/bundle_report.h"

namespace ladder::model_store {
namespace {

using nlohmann::ordered_json;

constexpr size_t kShortDigest = 12;

struct Entry {
  BundleLocation location;
  absl::StatusOr<BundleSummary> summary;
};

std::string CreatedText(const Manifest& manifest) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", manifest.created,
                          absl::UTCTimeZone());
}

absl::StatusOr<std::vector<Entry>> ReadEntries(
    const std::filesystem::path& directory) {
  LADDER_ASSIGN_OR_RETURN(const auto bundles, FindBundles(directory));
  std::vector<Entry> entries;
  for (const BundleLocation& location : bundles) {
    auto summary = ReadSummary(location.path);
    if (summary.ok()) {
      absl::Status status =
          CheckIdentity(summary->manifest(), location.model, location.version);
      if (!status.ok()) summary = status;
    }
    entries.push_back({location, std::move(summary)});
  }
  return entries;
}

// The folders say it of a bundle that does not speak for itself.
std::string ModelOf(const Entry& entry) {
  return entry.summary.ok() ? entry.summary->manifest().model
                            : entry.location.model;
}
uint64_t VersionOf(const Entry& entry) {
  return entry.summary.ok() ? entry.summary->manifest().version
                            : entry.location.version;
}

std::string AsText(const std::vector<Entry>& entries) {
  base::Table table({{"MODEL"},
                     {"VERSION"},
                     {"CREATED"},
                     {"CLASSES"},
                     {"SOURCES"},
                     {"SIZE"},
                     {"SHA256"},
                     {"STATUS"}});
  for (const Entry& entry : entries) {
    const std::string model = ModelOf(entry);
    const uint64_t version = VersionOf(entry);
    std::vector<base::Cell> row = {model.empty() ? "-" : model,
                                   version == 0 ? "-" : absl::StrCat(version)};
    if (entry.summary.ok()) {
      const Manifest& manifest = entry.summary->manifest();
      row.insert(
          row.end(),
          {CreatedText(manifest), absl::StrCat(manifest.num_classes()),
           absl::StrCat(manifest.num_sources()), SizeText(entry.summary->size),
           entry.summary->file.sha256.substr(0, kShortDigest), "ok"});
    } else {
      row.insert(row.end(),
                 {"-", "-", "-", "-", "-",
                  absl::StrCat("FAILED: ", entry.summary.status().message())});
    }
    table.AddRow(std::move(row));
  }
  return table.Render({});
}

std::string AsJson(const std::vector<Entry>& entries) {
  ordered_json array = ordered_json::array();
  for (const Entry& entry : entries) {
    ordered_json object = {{"path", entry.location.path.string()},
                           {"model", ModelOf(entry)},
                           {"version", VersionOf(entry)}};
    if (entry.summary.ok()) {
      const Manifest& manifest = entry.summary->manifest();
      object["created"] = CreatedText(manifest);
      object["classes"] = manifest.num_classes();
      object["sources"] = manifest.num_sources();
      object["size"] = entry.summary->size;
      object["sha256"] = entry.summary->file.sha256;
    } else {
      object["error"] = std::string(entry.summary.status().message());
    }
    array.push_back(std::move(object));
  }
  return JsonText(array);
}

absl::Status VerifyAt(const BundleLocation& location,
                      const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(const auto bundle,
                          ReadBundle(location.path, execution));
  return CheckIdentity(bundle.files.manifest, location.model, location.version);
}

}  // namespace

absl::StatusOr<std::string> ListBundles(const std::filesystem::path& directory,
                                        ReportFormat format) {
  LADDER_ASSIGN_OR_RETURN(const auto entries, ReadEntries(directory));
  return format == ReportFormat::kJson ? AsJson(entries) : AsText(entries);
}

absl::StatusOr<VerifyReport> VerifyBundles(
    const std::filesystem::path& directory,
    const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(const auto bundles, FindBundles(directory));
  VerifyReport report;
  for (const BundleLocation& location : bundles) {
    const absl::Status status = VerifyAt(location, execution);
    report.all_ok = report.all_ok && status.ok();
    absl::StrAppend(&report.text, status.ok() ? "ok      " : "FAILED  ",
                    location.path.string(), status.ok() ? "" : ": ",
                    status.message(), "\n");
  }
  return report;
}

}  // namespace ladder::model_store
