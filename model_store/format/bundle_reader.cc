#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/onnx_check.h"

namespace ladder::model_store {
namespace {

// All that the manifest must list.
constexpr struct {
  const char* name;
  MappedFile BundleFiles::*file;
} kListedFiles[] = {{kEncoderFile, &BundleFiles::encoder},
                    {kHeadsFile, &BundleFiles::heads},
                    {kRouterFile, &BundleFiles::router},
                    {kFingerprintsFile, &BundleFiles::fingerprints}};

absl::Status CheckListedNames(const Manifest& manifest) {
  for (const auto& [name, record] : manifest.files) {
    if (std::none_of(std::begin(kListedFiles), std::end(kListedFiles),
                     [&](const auto& listed) { return listed.name == name; })) {
      return absl::InvalidArgumentError(absl::StrCat(
          kManifestFile, ": files: expected only the files of a bundle, found ",
          "\"", name, "\""));
    }
  }
  for (const auto& [name, file] : kListedFiles) {
    if (!manifest.files.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(kManifestFile, ": files.", name,
                       ": expected a size and a checksum, found none"));
    }
  }
  return absl::OkStatus();
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

}  // namespace

absl::StatusOr<ManifestFile> ReadManifestFile(
    const std::filesystem::path& directory) {
  LADDER_ASSIGN_OR_RETURN(const MappedFile file,
                          MappedFile::Open(directory / kManifestFile));
  const auto bytes = file.bytes();
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               bytes.size());
  LADDER_ASSIGN_OR_RETURN(Manifest manifest, ParseManifest(text));
  return ManifestFile{.manifest = std::move(manifest),
                      .text = std::string(text),
                      .sha256 = Sha256(bytes)};
}

absl::StatusOr<BundleFiles> OpenBundle(const std::filesystem::path& directory) {
  LADDER_ASSIGN_OR_RETURN(ManifestFile manifest_file,
                          ReadManifestFile(directory));
  BundleFiles files;
  files.manifest = std::move(manifest_file.manifest);
  files.sha256 = std::move(manifest_file.sha256);
  LADDER_RETURN_IF_ERROR(CheckListedNames(files.manifest));
  for (const auto& [name, file] : kListedFiles) {
    auto opened = MappedFile::Open(directory / name);
    if (absl::IsNotFound(opened.status())) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected a file, found none"));
    }
    LADDER_ASSIGN_OR_RETURN(files.*file, std::move(opened));
  }
  // Sizes are compared when all files are there: a missing file is the simpler
  // explanation of a bundle that was copied in part.
  for (const auto& [name, file] : kListedFiles) {
    const uint64_t expected = files.manifest.files.at(name).size;
    const uint64_t found = (files.*file).bytes().size();
    if (found != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected ", expected, " bytes, as in ",
                       kManifestFile, ", found ", found));
    }
  }
  return files;
}

absl::Status CheckDigests(const BundleFiles& files,
                          const routing::Execution& execution) {
  const auto check = [&](const char* name, const MappedFile& file) {
    return [&, name] { return CheckDigest(name, file, files.manifest); };
  };
  // The largest come first, so that threads which share the work end at about
  // the same time.
  const std::function<absl::Status()> checks[] = {
      check(kEncoderFile, files.encoder), check(kRouterFile, files.router),
      check(kFingerprintsFile, files.fingerprints),
      check(kHeadsFile, files.heads)};
  return execution.RunAll(checks);
}

absl::Status CheckEncoder(const BundleFiles& files) {
  return CheckOnnxModel(files.encoder.bytes(), kEncoderFile,
                        EncoderSignature(files.manifest));
}

absl::Status CheckHeads(const BundleFiles& files) {
  return CheckOnnxModel(files.heads.bytes(), kHeadsFile,
                        HeadsSignature(files.manifest));
}

absl::Status CheckRouter(const BundleFiles& files) {
  return CheckOnnxModel(files.router.bytes(), kRouterFile,
                        RouterSignature(files.manifest));
}

absl::StatusOr<SourceStyles> ReadStyles(const BundleFiles& files) {
  return ParseFingerprints(files.fingerprints.bytes(), files.manifest);
}

absl::StatusOr<Bundle> ReadBundle(const std::filesystem::path& directory,
                                  const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(auto files, OpenBundle(directory));
  absl::StatusOr<SourceStyles> styles;
  const std::function<absl::Status()> checks[] = {
      [&] { return CheckDigests(files, execution); },
      [&] { return CheckEncoder(files); }, [&] { return CheckHeads(files); },
      [&] { return CheckRouter(files); },
      [&] {
        styles = ReadStyles(files);
        return styles.status();
      }};
  LADDER_RETURN_IF_ERROR(execution.RunAll(checks));
  return Bundle{std::move(files), *std::move(styles)};
}

}  // namespace ladder::model_store
