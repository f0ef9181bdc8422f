#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model_store/format/bundle.h"
#include "model_store/format/onnx_check.h"
#include "model_store/format/sha256.h"

namespace ladder::model_store {
namespace {

using FilesByName = std::map<std::string, MappedFile>;

// All that the manifest must list.
constexpr std::array<const char*, 4> kListedFiles = {
    kEncoderFile, kHeadsFile, kRouterFile, kFingerprintsFile};

absl::Status CheckListedNames(const Manifest& manifest) {
  for (const auto& [name, record] : manifest.files) {
    if (std::find(kListedFiles.begin(), kListedFiles.end(), name) ==
        kListedFiles.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          kManifestFile, ": files: expected only the files of a bundle, found ",
          "\"", name, "\""));
    }
  }
  for (const char* name : kListedFiles) {
    if (manifest.files.count(name) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(kManifestFile, ": files.", name,
                       ": expected a size and a checksum, found none"));
    }
  }
  return absl::OkStatus();
}

// Sizes are compared when all files are there: a missing file is the simpler
// explanation of a bundle that was copied in part.
absl::StatusOr<FilesByName> OpenFiles(const std::filesystem::path& directory,
                                      const Manifest& manifest) {
  FilesByName files;
  for (const char* name : kListedFiles) {
    auto file = MappedFile::Open(directory / name);
    if (absl::IsNotFound(file.status())) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected a file, found none"));
    }
    if (!file.ok()) return file.status();
    files[name] = *std::move(file);
  }
  for (const auto& [name, file] : files) {
    const uint64_t expected = manifest.files.at(name).size;
    if (file.bytes().size() != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected ", expected, " bytes, as in ",
                       kManifestFile, ", found ", file.bytes().size()));
    }
  }
  return files;
}

absl::Status CheckDigest(const char* name, const MappedFile& file,
                         const Manifest& manifest) {
  const std::string& expected = manifest.files.at(name).sha256;
  const std::string found = Sha256(file.bytes());
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected the sha256 ", expected, ", as in ",
                   kManifestFile, ", found ", found));
}

// Runs all checks in parallel; the first in the list that failed is reported.
absl::Status RunChecks(std::span<const std::function<absl::Status()>> checks,
                       const routing::Execution& execution) {
  std::vector<absl::Status> results(checks.size());
  absl::Status status = execution.ForEach(
      checks.size(), [&](size_t i) { results[i] = checks[i](); });
  for (const absl::Status& result : results) status.Update(result);
  return status;
}

// The contents of `files`, which stay where they are.
absl::StatusOr<SourceStyles> CheckContents(
    const FilesByName& files, const Manifest& manifest,
    const routing::Execution& execution) {
  absl::StatusOr<SourceStyles> styles;
  const auto check_model = [&](const char* name,
                               OnnxSignature (*signature)(const Manifest&)) {
    return [&, name, signature] {
      return CheckOnnxModel(files.at(name).bytes(), name, signature(manifest));
    };
  };
  const std::array<std::function<absl::Status()>, 4> checks = {
      check_model(kEncoderFile, EncoderSignature),
      check_model(kHeadsFile, HeadsSignature),
      check_model(kRouterFile, RouterSignature), [&] {
        styles =
            ParseFingerprints(files.at(kFingerprintsFile).bytes(), manifest);
        return styles.status();
      }};
  absl::Status status = RunChecks(checks, execution);
  if (!status.ok()) return status;
  return styles;
}

}  // namespace

absl::Status CheckDigests(const Bundle& bundle,
                          const routing::Execution& execution) {
  const auto check = [&](const char* name, const MappedFile& file) {
    return [&, name] { return CheckDigest(name, file, bundle.manifest); };
  };
  // The largest come first, so that threads which share the work end at about
  // the same time.
  const std::array<std::function<absl::Status()>, 4> checks = {
      check(kEncoderFile, bundle.encoder), check(kRouterFile, bundle.router),
      check(kFingerprintsFile, bundle.fingerprints),
      check(kHeadsFile, bundle.heads)};
  return RunChecks(checks, execution);
}

absl::StatusOr<Bundle> ReadBundleContents(
    const std::filesystem::path& directory,
    const routing::Execution& execution) {
  const auto manifest_file = MappedFile::Open(directory / kManifestFile);
  if (!manifest_file.ok()) return manifest_file.status();
  const auto manifest_bytes = manifest_file->bytes();
  auto manifest =
      ParseManifest({reinterpret_cast<const char*>(manifest_bytes.data()),
                     manifest_bytes.size()});
  if (!manifest.ok()) return manifest.status();
  if (absl::Status status = CheckListedNames(*manifest); !status.ok()) {
    return status;
  }
  auto files = OpenFiles(directory, *manifest);
  if (!files.ok()) return files.status();
  auto styles = CheckContents(*files, *manifest, execution);
  if (absl::IsInvalidArgument(styles.status())) {
    // A damaged file is the simpler explanation of a strange one.
    for (const auto& [name, file] : *files) {
      absl::Status status = CheckDigest(name.c_str(), file, *manifest);
      if (!status.ok()) return status;
    }
  }
  if (!styles.ok()) return styles.status();
  return Bundle{.manifest = *std::move(manifest),
                .sha256 = Sha256(manifest_bytes),
                .styles = *std::move(styles),
                .encoder = std::move(files->at(kEncoderFile)),
                .heads = std::move(files->at(kHeadsFile)),
                .router = std::move(files->at(kRouterFile)),
                .fingerprints = std::move(files->at(kFingerprintsFile))};
}

absl::StatusOr<Bundle> ReadBundle(const std::filesystem::path& directory,
                                  const routing::Execution& execution) {
  auto bundle = ReadBundleContents(directory, execution);
  if (!bundle.ok()) return bundle;
  absl::Status status = CheckDigests(*bundle, execution);
  if (!status.ok()) return status;
  return bundle;
}

}  // namespace ladder::model_store
