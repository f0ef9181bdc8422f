#ifndef LADDER_MODEL_STORE_FORMAT_FINGERPRINT_FILE_H_
#define LADDER_MODEL_STORE_FORMAT_FINGERPRINT_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "model_store/format/manifest.h"
#include "routing/fingerprints.h"
#include "routing/style_sample.h"

namespace ladder::model_store {

inline constexpr char kFingerprintsFile[] = "fingerprints.safetensors";

// What routing knows of the sources: the content of fingerprints.safetensors.
struct SourceStyles {
  routing::StyleNormalizer normalizer;
  routing::Fingerprints fingerprints;
};

// The bytes of fingerprints.safetensors.
std::string SerializeFingerprints(const SourceStyles& styles);

// InvalidArgument, naming file, tensor, expected and found, unless the tensors
// are those that `manifest` announces (E sources, their counts, d_s) and every
// value that is used is finite.
absl::StatusOr<SourceStyles> ParseFingerprints(std::span<const std::byte> file,
                                               const Manifest& manifest);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_FORMAT_FINGERPRINT_FILE_H_
