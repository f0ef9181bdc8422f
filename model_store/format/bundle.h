#ifndef LADDER_MODEL_STORE_FORMAT_BUNDLE_H_
#define LADDER_MODEL_STORE_FORMAT_BUNDLE_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model_store/format/file_bytes.h"
#include "model_store/format/manifest.h"
#include "routing/execution.h"
#include "routing/fingerprints.h"
#include "routing/style_sample.h"

namespace ladder::model_store {

// A bundle's files are these and kManifestFile: all required, none other looked
// at.
inline constexpr char kEncoderFile[] = "encoder.onnx";
inline constexpr char kHeadsFile[] = "heads.onnx";
inline constexpr char kRouterFile[] = "router.onnx";
inline constexpr char kFingerprintsFile[] = "fingerprints.safetensors";

// What routing knows of the sources: the content of fingerprints.safetensors.
struct SourceStyles {
  routing::StyleNormalizer normalizer;
  routing::Fingerprints fingerprints;
};

// Gives the bytes of fingerprints.safetensors.
std::string SerializeFingerprints(const SourceStyles& styles);

// Parses them. InvalidArgument, naming file, tensor, expected and found, unless
// the tensors are those that `manifest` announces (E sources, their counts,
// d_s) and every value that is used is finite.
absl::StatusOr<SourceStyles> ParseFingerprints(std::span<const std::byte> file,
                                               const Manifest& manifest);

// A bundle's manifest.json.
struct ManifestFile {
  Manifest manifest;
  std::string text;
  std::string sha256;
};

// Reads the manifest of the bundle in `directory`, and nothing else of it.
// Errors as FileBytes::Read and ParseManifest.
absl::StatusOr<ManifestFile> ReadManifestFile(
    const std::filesystem::path& directory);

// The files of one version of a model, read into memory. Only the manifest's
// contents have been looked at.
struct BundleFiles {
  Manifest manifest;
  std::string sha256;  // The manifest's, and so of all files that it lists.
  FileBytes encoder;   // ONNX models.
  FileBytes heads;
  FileBytes router;
  FileBytes fingerprints;
};

// One version of a model, read from disk and verified.
struct Bundle {
  BundleFiles files;
  SourceStyles styles;
};

// Reads the bundle in `directory` and verifies all that can be verified without
// running it: manifest, sizes, checksums, tensors with a sample of the self
// terms, and the ONNX models' inputs, outputs and self-containedness, in
// parallel. The error names the file, the field, what was expected and what was
// found; a damaged file is named before what is strange in it. NotFound if
// `directory` or its manifest is missing; Cancelled if `execution.stop` was
// requested.
absl::StatusOr<Bundle> ReadBundle(const std::filesystem::path& directory,
                                  const routing::Execution& execution);

// The parts of ReadBundle, for callers that have something to do beside them.
// ReadBundleFiles checks manifest and sizes. A graph may be run once its check
// is OK, and nothing may be served before all are. All look at the bytes that
// were read, and none at the files again.
absl::StatusOr<BundleFiles> ReadBundleFiles(
    const std::filesystem::path& directory,
    const routing::Execution& execution);
absl::Status CheckDigests(const BundleFiles& files,
                          const routing::Execution& execution);
absl::Status CheckEncoder(const BundleFiles& files);
absl::Status CheckHeads(const BundleFiles& files);
absl::Status CheckRouter(const BundleFiles& files);
absl::StatusOr<SourceStyles> ReadStyles(const BundleFiles& files);

// What a new bundle is made of.
struct BundleContents {
  Manifest manifest;  // A version of 0 asks for the next; `files` is filled in.
  SourceStyles styles;
  std::string encoder;  // Serialised ONNX models.
  std::string heads;
  std::string router;
};

// Writes `<store>/<model>/<version>` under a temporary name, reads it back as
// ReadBundle would, flushes it to the disk and renames it: readers see all of
// it or nothing. Returns the folder written. AlreadyExists if that version is
// there; otherwise errors as ReadBundle, or what errno says, and nothing stays
// behind but, perhaps, a new model's empty folder.
absl::StatusOr<std::filesystem::path> WriteBundle(
    const std::filesystem::path& store, BundleContents contents);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_BUNDLE_H_
