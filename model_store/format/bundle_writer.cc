#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/find_bundles.h"

namespace ladder::model_store {
namespace {

namespace fs = std::filesystem;

absl::Status MakeDirectories(const fs::path& model_directory) {
  std::error_code error;
  fs::create_directories(model_directory, error);
  if (error) {
    return base::ErrnoError("cannot create", model_directory, error.value());
  }
  return base::FlushDirectory(model_directory.parent_path());
}

// A new folder beside the versions that no reader takes for one.
absl::StatusOr<fs::path> MakeTemporaryDirectory(const fs::path& model_directory,
                                                uint64_t version) {
  for (;;) {
    const fs::path path =
        base::TemporarySibling(model_directory / absl::StrCat(version));
    if (mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) return base::ErrnoError("cannot create", path);
  }
}

// One more than the largest version there.
absl::StatusOr<uint64_t> NextVersion(const fs::path& model_directory) {
  const auto names = ListFolder(model_directory);
  if (!names.ok()) {
    return absl::Status(names.status().code(),
                        absl::StrCat("cannot list ", names.status().message()));
  }
  uint64_t largest = 0;
  for (const std::string& name : *names) {
    largest = std::max(largest, ParseVersionName(name));
  }
  return largest + 1;
}

absl::Status VersionExists(const fs::path& directory) {
  return absl::AlreadyExistsError(
      absl::StrCat(directory.string(),
                   ": expected a new version, found one with this name"));
}

// Never replaces a bundle.
absl::Status RenameDirectory(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return absl::OkStatus();
  }
  // Not all file systems know the flag. A plain rename replaces an empty folder
  // at most.
  if ((errno == EINVAL || errno == ENOSYS) &&
      rename(from.c_str(), to.c_str()) == 0) {
    return absl::OkStatus();
  }
  if (errno == EEXIST || errno == ENOTEMPTY) return VersionExists(to);
  return base::ErrnoError("cannot rename the new bundle to", to);
}

// What reading the files back cannot notice.
absl::Status CheckContents(const BundleContents& contents) {
  if (absl::Status status = contents.manifest.Validate(); !status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kManifestFile, ": ", status.message()));
  }
  const routing::SinkhornOptions& expected =
      contents.styles.fingerprints.options();
  const routing::SinkhornOptions& found = contents.manifest.routing.sinkhorn;
  if (found.blur != expected.blur || found.scaling != expected.scaling) {
    return absl::InvalidArgumentError(
        absl::StrCat(kManifestFile, ": routing: expected blur ", expected.blur,
                     " and scaling ", expected.scaling,
                     ", with which the self terms were computed, found ",
                     found.blur, " and ", found.scaling));
  }
  return absl::OkStatus();
}

using FileContents = std::vector<std::pair<std::string, absl::string_view>>;

absl::Status WriteFiles(const fs::path& directory, const FileContents& files,
                        Manifest manifest) {
  manifest.files.clear();
  for (const auto& [name, content] : files) {
    LADDER_RETURN_IF_ERROR(base::WriteNewFile(directory / name, content));
    manifest.files[name] = {
        .size = content.size(),
        .sha256 = Sha256(std::as_bytes(std::span(content)))};
  }
  LADDER_RETURN_IF_ERROR(
      base::WriteNewFile(directory / kManifestFile, FormatManifest(manifest)));
  return base::FlushDirectory(directory);
}

// Writes the version that `manifest` says.
absl::StatusOr<fs::path> WriteVersion(const fs::path& model_directory,
                                      const FileContents& files,
                                      const Manifest& manifest) {
  const fs::path target = model_directory / absl::StrCat(manifest.version);
  if (std::error_code error; fs::exists(target, error)) {
    return VersionExists(target);
  }
  LADDER_ASSIGN_OR_RETURN(
      const auto temporary,
      MakeTemporaryDirectory(model_directory, manifest.version));
  absl::Cleanup remove_temporary = [&temporary] {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
  };
  LADDER_RETURN_IF_ERROR(WriteFiles(temporary, files, manifest));
  LADDER_RETURN_IF_ERROR(ReadBundle(temporary, /*execution=*/{}).status());
  LADDER_RETURN_IF_ERROR(RenameDirectory(temporary, target));
  std::move(remove_temporary).Cancel();
  LADDER_RETURN_IF_ERROR(base::FlushDirectory(model_directory));
  return target;
}

}  // namespace

absl::StatusOr<fs::path> WriteBundle(const fs::path& store,
                                     BundleContents contents) {
  Manifest& manifest = contents.manifest;
  const bool wants_next_version = manifest.version == 0;
  if (wants_next_version) manifest.version = 1;  // Until the folder is known.
  LADDER_RETURN_IF_ERROR(CheckContents(contents));
  const std::string fingerprints = SerializeFingerprints(contents.styles);
  const FileContents files = {{kEncoderFile, contents.encoder},
                              {kHeadsFile, contents.heads},
                              {kRouterFile, contents.router},
                              {kFingerprintsFile, fingerprints}};
  const fs::path model_directory = store / manifest.model;
  LADDER_RETURN_IF_ERROR(MakeDirectories(model_directory));
  for (;;) {
    if (wants_next_version) {
      LADDER_ASSIGN_OR_RETURN(manifest.version, NextVersion(model_directory));
    }
    auto written = WriteVersion(model_directory, files, manifest);
    // Somebody else may have taken the number meanwhile.
    if (wants_next_version && absl::IsAlreadyExists(written.status())) continue;
    return written;
  }
}

}  // namespace ladder::model_store
