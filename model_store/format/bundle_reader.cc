#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files/random_access_file.h"
#include "base/status_macros.h"
#include "model_store/format/bundle.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/onnx_check.h"
#include "routing/self_term.h"
#include "routing/sinkhorn.h"

namespace ladder::model_store {
namespace {

// All that the manifest must list.
constexpr struct {
  const char* name;
  FileBytes BundleFiles::*file;
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

absl::Status CheckDigest(const char* name, const FileBytes& file,
                         const Manifest& manifest,
                         const std::stop_token& stop) {
  const std::string& expected = manifest.files.at(name).sha256;
  LADDER_ASSIGN_OR_RETURN(const std::string found, Sha256(file.bytes(), stop));
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected the sha256 ", expected, ", as in ",
                   kManifestFile, ", found ", found));
}

// Pairs of points that self terms are computed anew for: all sources of a small
// bundle, two with 1024 style vectors of a large one, which takes milliseconds.
constexpr size_t kMaxCheckedPairs = size_t{2} << 20;
// Far above what rounding does to a self term.
constexpr double kSelfTermTolerance = 1e-4;

// Compares one self term of each source, beginning with `first`, with what the
// solver gives; a wrong one would shift every distance to its source.
absl::Status CheckSelfTerms(const routing::Fingerprints& fingerprints,
                            size_t first) {
  const routing::SinkhornOptions& options = fingerprints.options();
  routing::SinkhornSolver solver(options);
  size_t pairs = 0;
  for (size_t i = 0; i < fingerprints.num_sources(); ++i) {
    const size_t e =
        (first % fingerprints.num_sources() + i) % fingerprints.num_sources();
    const routing::PackedCloud& cloud = fingerprints.cloud(e);
    pairs += cloud.points().rows * cloud.points().rows;
    if (i > 0 && pairs > kMaxCheckedPairs) break;
    const size_t node = e % routing::SelfTerm::kNumNodes;
    solver.PrepareSelf(cloud);
    const double expected =
        solver.Self(routing::SelfTerm::NodeSchedule(node, options));
    const double found = fingerprints.self_term(e).values()[node];
    if (std::abs(found - expected) >
        kSelfTermTolerance * std::max(std::abs(expected), options.blur)) {
      return absl::InvalidArgumentError(absl::StrCat(
          kFingerprintsFile, ": self_terms[", e, "][", node, "]: expected ",
          expected, ", as its fingerprints give, found ", found));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ManifestFile> ReadManifestFile(
    const std::filesystem::path& directory) {
  LADDER_ASSIGN_OR_RETURN(const FileBytes file,
                          FileBytes::Read(directory / kManifestFile));
  const auto bytes = file.bytes();
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               bytes.size());
  LADDER_ASSIGN_OR_RETURN(Manifest manifest, ParseManifest(text));
  return ManifestFile{.manifest = std::move(manifest),
                      .text = std::string(text),
                      .sha256 = Sha256(bytes)};
}

absl::StatusOr<BundleFiles> ReadBundleFiles(
    const std::filesystem::path& directory,
    const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(ManifestFile manifest_file,
                          ReadManifestFile(directory));
  BundleFiles files;
  files.manifest = std::move(manifest_file.manifest);
  files.sha256 = std::move(manifest_file.sha256);
  LADDER_RETURN_IF_ERROR(CheckListedNames(files.manifest));
  std::vector<base::RandomAccessFile> opened;
  for (const auto& [name, file] : kListedFiles) {
    auto one = OpenRegularFile(directory / name);
    if (absl::IsNotFound(one.status())) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected a file, found none"));
    }
    if (!one.ok()) return one.status();
    opened.push_back(*std::move(one));
  }
  // Sizes are compared when all files are there: a missing file is the simpler
  // explanation of a bundle that was copied in part.
  std::vector<std::function<absl::Status()>> reads;
  for (size_t i = 0; i < opened.size(); ++i) {
    const char* name = kListedFiles[i].name;
    const uint64_t expected = files.manifest.files.at(name).size;
    const auto found = static_cast<uint64_t>(opened[i].size());
    if (found != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": expected ", expected, " bytes, as in ",
                       kManifestFile, ", found ", found));
    }
    reads.emplace_back([&, i]() -> absl::Status {
      LADDER_ASSIGN_OR_RETURN(files.*kListedFiles[i].file,
                              FileBytes::Read(opened[i], execution));
      return absl::OkStatus();
    });
  }
  LADDER_RETURN_IF_ERROR(execution.RunAll(reads));
  return files;
}

absl::Status CheckDigests(const BundleFiles& files,
                          const routing::Execution& execution) {
  const auto check = [&](const char* name, const FileBytes& file) {
    return [&, name] {
      return CheckDigest(name, file, files.manifest, execution.stop);
    };
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
  LADDER_ASSIGN_OR_RETURN(
      SourceStyles styles,
      ParseFingerprints(files.fingerprints.bytes(), files.manifest));
  // Another source in every bundle, and the same whenever it is read.
  LADDER_RETURN_IF_ERROR(CheckSelfTerms(
      styles.fingerprints, std::hash<std::string>()(files.sha256)));
  return styles;
}

absl::StatusOr<Bundle> ReadBundle(const std::filesystem::path& directory,
                                  const routing::Execution& execution) {
  LADDER_ASSIGN_OR_RETURN(auto files, ReadBundleFiles(directory, execution));
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
