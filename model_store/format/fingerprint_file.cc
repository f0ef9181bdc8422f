#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/bundle.h"
#include "model_store/format/safetensors.h"
#include "routing/self_term.h"

namespace ladder::model_store {
namespace {

using routing::Fingerprints;
using routing::MatrixView;
using routing::SelfTerm;
using routing::StyleNormalizer;

// The tensors' names.
constexpr char kFingerprints[] = "fingerprints";
constexpr char kCounts[] = "counts";
constexpr char kStyleMean[] = "style_mean";
constexpr char kStyleStd[] = "style_std";
constexpr char kSelfTerms[] = "self_terms";

// The error `status`, which does not know that it is about a file.
absl::Status InTensor(absl::string_view tensor, const absl::Status& status) {
  return absl::Status(
      status.code(),
      absl::StrCat(kFingerprintsFile, ": ", tensor, ": ", status.message()));
}

absl::StatusOr<StyleNormalizer> ReadNormalizer(const Safetensors& tensors,
                                               uint64_t dimension) {
  LADDER_ASSIGN_OR_RETURN(auto mean,
                          tensors.Read<float>(kStyleMean, {{dimension}}));
  LADDER_ASSIGN_OR_RETURN(auto std,
                          tensors.Read<float>(kStyleStd, {{dimension}}));
  auto normalizer = StyleNormalizer::Create(std::move(mean), std::move(std));
  if (!normalizer.ok()) {
    return InTensor("style_mean and style_std", normalizer.status());
  }
  return normalizer;
}

// The counts stand in both files: in the manifest for people, here for tools
// that read tensors only.
absl::Status CheckCounts(const Safetensors& tensors, const Manifest& manifest) {
  LADDER_ASSIGN_OR_RETURN(
      const auto counts,
      tensors.Read<int64_t>(kCounts, {{uint64_t{manifest.num_sources()}}}));
  for (size_t e = 0; e < counts.size(); ++e) {
    const auto expected =
        static_cast<int64_t>(manifest.sources[e].fingerprint_samples);
    if (counts[e] != expected) {
      return absl::InvalidArgumentError(absl::StrCat(
          kFingerprintsFile, ": ", kCounts, "[", e, "]: expected ", expected,
          ", as sources[", e, "].fingerprint_samples in ", kManifestFile,
          ", found ", counts[e]));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SelfTerm>> ReadSelfTerms(const Safetensors& tensors,
                                                    uint64_t num_sources) {
  LADDER_ASSIGN_OR_RETURN(
      const auto values,
      tensors.Read<double>(kSelfTerms, {{num_sources, SelfTerm::kNumNodes}}));
  std::vector<SelfTerm> self_terms;
  for (size_t e = 0; e < num_sources; ++e) {
    const auto self_term = SelfTerm::FromValues(std::span(values).subspan(
        e * SelfTerm::kNumNodes, SelfTerm::kNumNodes));
    if (!self_term.ok()) {
      return InTensor(absl::StrCat(kSelfTerms, "[", e, "]"),
                      self_term.status());
    }
    self_terms.push_back(*self_term);
  }
  return self_terms;
}

absl::StatusOr<Fingerprints> ReadFingerprints(const Safetensors& tensors,
                                              const Manifest& manifest) {
  size_t max_count = 0;
  for (const Source& source : manifest.sources) {
    max_count = std::max(max_count, source.fingerprint_samples);
  }
  const size_t num_sources = manifest.num_sources();
  const size_t dimension = manifest.style_dimension;
  std::vector<float> storage;
  LADDER_ASSIGN_OR_RETURN(
      const auto values,
      tensors.View<float>(kFingerprints, {{num_sources, max_count, dimension}},
                          storage));
  LADDER_ASSIGN_OR_RETURN(auto self_terms, ReadSelfTerms(tensors, num_sources));

  std::vector<MatrixView> clouds;
  for (size_t e = 0; e < num_sources; ++e) {
    clouds.push_back({.data = values.data() + e * max_count * dimension,
                      .rows = manifest.sources[e].fingerprint_samples,
                      .cols = dimension});
  }
  auto fingerprints = Fingerprints::CreateWithSelfTerms(
      clouds, std::move(self_terms), manifest.routing.sinkhorn);
  if (!fingerprints.ok()) {
    return InTensor(kFingerprints, fingerprints.status());
  }
  return fingerprints;
}

}  // namespace

std::string SerializeFingerprints(const SourceStyles& styles) {
  const Fingerprints& fingerprints = styles.fingerprints;
  const size_t num_sources = fingerprints.num_sources();
  const size_t dimension = fingerprints.dimension();
  std::vector<int64_t> counts;
  std::vector<double> self_terms;
  for (size_t e = 0; e < num_sources; ++e) {
    counts.push_back(static_cast<int64_t>(fingerprints.cloud(e).points().rows));
    const auto values = fingerprints.self_term(e).values();
    self_terms.insert(self_terms.end(), values.begin(), values.end());
  }
  const auto max_count =
      static_cast<size_t>(*std::max_element(counts.begin(), counts.end()));
  std::vector<float> padded(num_sources * max_count * dimension, 0.0F);
  for (size_t e = 0; e < num_sources; ++e) {
    const auto values = fingerprints.cloud(e).points().Values();
    std::copy(values.begin(), values.end(),
              padded.data() + e * max_count * dimension);
  }

  SafetensorsWriter writer;
  writer.Add<float>(kFingerprints, {num_sources, max_count, dimension}, padded);
  writer.Add<int64_t>(kCounts, {num_sources}, counts);
  writer.Add<float>(kStyleMean, {dimension}, styles.normalizer.mean());
  writer.Add<float>(kStyleStd, {dimension}, styles.normalizer.std());
  writer.Add<double>(kSelfTerms, {num_sources, SelfTerm::kNumNodes},
                     self_terms);
  return writer.Serialize();
}

absl::StatusOr<SourceStyles> ParseFingerprints(std::span<const std::byte> file,
                                               const Manifest& manifest) {
  LADDER_ASSIGN_OR_RETURN(const auto tensors,
                          Safetensors::Parse(file, kFingerprintsFile));
  // The counts first: if they differ, so does the shape of the fingerprints.
  LADDER_RETURN_IF_ERROR(CheckCounts(tensors, manifest));
  LADDER_ASSIGN_OR_RETURN(auto normalizer,
                          ReadNormalizer(tensors, manifest.style_dimension));
  LADDER_ASSIGN_OR_RETURN(auto fingerprints,
                          ReadFingerprints(tensors, manifest));
  return SourceStyles{.normalizer = std::move(normalizer),
                      .fingerprints = std::move(fingerprints)};
}

}  // namespace ladder::model_store
