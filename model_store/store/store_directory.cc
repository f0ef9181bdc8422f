#include "model_store/store/store_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/find_bundles.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;

absl::Status PathError(const fs::path& path, int error) {
  return absl::ErrnoToStatus(error, path.string());
}

// The status of `path` itself, a symbolic link not followed; errno otherwise.
std::optional<struct stat> Lstat(const fs::path& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool IsDirectory(const fs::path& path) {
  const auto status = Lstat(path);
  return status.has_value() && S_ISDIR(status->st_mode);
}

std::string SignatureOf(const std::string& name, const struct stat& status) {
  return absl::StrCat(name, " ", status.st_ino, " ", status.st_mode, " ",
                      status.st_size, " ", status.st_mtim.tv_sec, ".",
                      status.st_mtim.tv_nsec, " ", status.st_ctim.tv_sec, ".",
                      status.st_ctim.tv_nsec, "\n");
}

// Empty unless `folder` is a version's. A folder whose content is hidden by its
// permissions counts: loading it gives the reason.
std::string FolderSignature(const fs::path& folder) {
  const auto folder_status = Lstat(folder);
  if (!folder_status.has_value() || !S_ISDIR(folder_status->st_mode)) return "";
  if (!Lstat(folder / kManifestFile).has_value() && errno != EACCES) return "";
  std::string signature = SignatureOf(".", *folder_status);
  const auto names = ListFolder(folder);
  if (!names.ok()) return signature;
  for (const std::string& name : *names) {
    const auto status = Lstat(folder / name);
    if (status.has_value()) signature += SignatureOf(name, *status);
  }
  return signature;
}

// Read, not mapped: somebody may be writing the file.
std::string ManifestDigest(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  const auto status = Lstat(path);
  if (!status.has_value() || !S_ISREG(status->st_mode) ||
      status->st_size > off_t{kMaxManifestBytes}) {
    return "";
  }
  const std::optional<std::string> bytes = base::ReadText(path);
  return bytes.has_value() ? Sha256(std::as_bytes(std::span(*bytes))) : "";
}

}  // namespace

StoreDirectory::StoreDirectory(fs::path path) : path_(std::move(path)) {}

absl::StatusOr<StoreDirectory> StoreDirectory::Open(fs::path path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return PathError(absl::StrCat("model store ", path.string()), errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "model store ", path.string(), ": expected a directory, found a file"));
  }
  return StoreDirectory(std::move(path));
}

absl::StatusOr<std::map<std::string, absl::StatusOr<VersionsOnDisk>>>
StoreDirectory::Scan() {
  LADDER_ASSIGN_OR_RETURN(const auto names, ListFolder(path_));
  std::map<std::string, absl::StatusOr<VersionsOnDisk>> models;
  for (const std::string& name : names) {
    if (!CheckModelName(name).ok() || !IsDirectory(path_ / name)) continue;
    auto versions = ScanModel(name);
    if (absl::IsNotFound(versions.status())) continue;  // Gone meanwhile.
    models.emplace(name, std::move(versions));
  }
  std::erase_if(last_scan_,
                [&](const auto& item) { return !models.contains(item.first); });
  return models;
}

absl::StatusOr<VersionsOnDisk> StoreDirectory::ScanModel(
    const std::string& model) {
  const fs::path folder = path_ / model;
  const auto status = Lstat(folder);
  if (!status.has_value()) return PathError(folder, errno);
  if (!S_ISDIR(status->st_mode)) {
    return absl::NotFoundError(
        absl::StrCat(folder.string(), ": expected a folder, found a file"));
  }
  LADDER_ASSIGN_OR_RETURN(const auto names, ListFolder(folder));
  VersionsOnDisk versions;
  for (const std::string& name : names) {
    const uint64_t version = ParseVersionName(name);
    if (version == 0) continue;
    std::string signature = FolderSignature(folder / name);
    if (signature.empty()) continue;
    versions.emplace(version, VersionOnDisk{.signature = std::move(signature)});
  }
  AddDigests(model, versions);
  return versions;
}

absl::StatusOr<Labels> StoreDirectory::ReadLabels(
    const std::string& model) const {
  const fs::path folder = path_ / model;
  if (!IsDirectory(folder)) return PathError(folder, ENOENT);
  const fs::path path = folder / kLabelsFile;
  const auto status = Lstat(path);
  if (!status.has_value() && errno == ENOENT) return Labels();
  if (!status.has_value()) return PathError(path, errno);
  if (!S_ISREG(status->st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kLabelsFile, ": expected a regular file"));
  }
  const auto text = base::ReadSmallFile(path.string());
  // Gone meanwhile, and perhaps on its way back: no reason to drop all labels.
  if (absl::IsNotFound(text.status())) {
    return absl::UnavailableError(text.status().message());
  }
  if (!text.ok()) return text.status();
  return ParseLabels(*text);
}

std::map<std::string, absl::StatusOr<Labels>> StoreDirectory::ScanLabels()
    const {
  std::map<std::string, absl::StatusOr<Labels>> labels;
  const auto names = ListFolder(path_);
  if (!names.ok()) return labels;
  for (const std::string& name : *names) {
    if (!CheckModelName(name).ok() || !IsDirectory(path_ / name)) continue;
    labels.emplace(name, ReadLabels(name));
  }
  return labels;
}

absl::Status StoreDirectory::WriteLabels(const std::string& model,
                                         const Labels& labels) {
  return base::ReplaceFile(path_ / model / kLabelsFile, FormatLabels(labels));
}

void StoreDirectory::AddDigests(const std::string& model,
                                VersionsOnDisk& versions) {
  VersionsOnDisk& last = last_scan_[model];
  for (auto& [version, on_disk] : versions) {
    const auto known = last.find(version);
    if (known != last.end() && known->second.signature == on_disk.signature) {
      on_disk.manifest_sha256 = known->second.manifest_sha256;
    }
    if (on_disk.manifest_sha256.empty()) {
      on_disk.manifest_sha256 =
          ManifestDigest(path_ / model / absl::StrCat(version));
    }
  }
  last = versions;
}

}  // namespace ladder::model_store
