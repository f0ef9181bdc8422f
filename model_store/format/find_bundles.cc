#include "model_store/format/find_bundles.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;

// The folders in `directory` by name; symbolic links do not count.
absl::StatusOr<std::map<std::string, fs::path>> FoldersIn(
    const fs::path& directory) {
  LADDER_ASSIGN_OR_RETURN(const auto names, ListFolder(directory));
  std::map<std::string, fs::path> folders;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (fs::is_directory(fs::symlink_status(directory / name, ignored))) {
      folders[name] = directory / name;
    }
  }
  return folders;
}

std::vector<BundleLocation> VersionsIn(
    const std::map<std::string, fs::path>& folders, const std::string& model) {
  std::vector<BundleLocation> found;
  for (const auto& [name, path] : folders) {
    const uint64_t version = ParseVersionName(name);
    if (version == 0) continue;
    found.push_back({.path = path, .model = model, .version = version});
  }
  std::ranges::sort(found, {}, &BundleLocation::version);
  return found;
}

// The last part of `path`, however it is spelled.
std::string FolderName(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::canonical(path, ignored);
  return whole.filename().string();
}

}  // namespace

absl::StatusOr<std::set<std::string>> ListFolder(const fs::path& directory) {
  std::set<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(directory, error);
  while (!error && entries != fs::directory_iterator()) {
    names.insert(entries->path().filename().string());
    entries.increment(error);
  }
  if (error) return absl::ErrnoToStatus(error.value(), directory.string());
  return names;
}

uint64_t ParseVersionName(absl::string_view name) {
  uint64_t version = 0;
  if (!absl::SimpleAtoi(name, &version)) return 0;
  return absl::StrCat(version) == name ? version : 0;
}

absl::Status CheckIdentity(const Manifest& manifest, absl::string_view model,
                           uint64_t version) {
  if (version == 0 ||
      (manifest.model == model && manifest.version == version)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      kManifestFile, ": expected model \"", model, "\" and version ", version,
      ", as its folders are named, found model \"", manifest.model,
      "\" and version ", manifest.version));
}

absl::StatusOr<std::vector<BundleLocation>> FindBundles(
    const fs::path& directory) {
  std::error_code ignored;
  if (fs::exists(directory / kManifestFile, ignored)) {
    return std::vector<BundleLocation>{{.path = directory}};
  }
  LADDER_ASSIGN_OR_RETURN(const auto folders, FoldersIn(directory));
  std::vector<BundleLocation> found =
      VersionsIn(folders, FolderName(directory));
  if (!found.empty()) return found;
  for (const auto& [model, path] : folders) {
    if (!CheckModelName(model).ok()) continue;
    LADDER_ASSIGN_OR_RETURN(const auto versions, FoldersIn(path));
    for (BundleLocation& location : VersionsIn(versions, model)) {
      found.push_back(std::move(location));
    }
  }
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat(
      directory.string(),
      ": no bundle found; expected a folder with a manifest.json, a model's "
      "folder or a store"));
}

}  // namespace ladder::model_store
