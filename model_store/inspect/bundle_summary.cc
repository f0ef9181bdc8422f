#include "model_store/inspect/bundle_summary.h"

#include <utility>

#include "model_store/format/mapped_file.h"
#include "model_store/format/sha256.h"

namespace ladder::model_store {

absl::StatusOr<BundleSummary> ReadSummary(const std::filesystem::path& bundle) {
  const auto file = MappedFile::Open(bundle / kManifestFile);
  if (!file.ok()) return file.status();
  const auto bytes = file->bytes();
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto manifest = ParseManifest(text);
  if (!manifest.ok()) return manifest.status();
  uint64_t size = bytes.size();
  for (const auto& [name, record] : manifest->files) size += record.size;
  return BundleSummary{.path = bundle,
                       .manifest = *std::move(manifest),
                       .manifest_text = std::move(text),
                       .sha256 = Sha256(bytes),
                       .size = size};
}

}  // namespace ladder::model_store
