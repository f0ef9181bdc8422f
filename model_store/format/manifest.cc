#include "model_store/format/manifest.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/text/text.h"
#include "model_store/format/json_reader.h"

namespace ladder::model_store {
namespace {

// Far above anything real, and small enough that no product of three of them,
// in bytes, overflows 64 bits.
constexpr uint64_t kMaxClasses = uint64_t{1} << 20;
constexpr uint64_t kMaxSources = uint64_t{1} << 16;
constexpr uint64_t kMaxDimension = uint64_t{1} << 20;
constexpr uint64_t kMaxStyleSamples = uint64_t{1} << 20;
constexpr uint64_t kMaxSampleElements = uint64_t{1} << 31;
constexpr uint64_t kMaxSampleRank = 8;
constexpr uint64_t kMaxVersion = INT64_MAX;  // Fits every API's integers.
constexpr size_t kMaxNameBytes = 256;
// The number of Sinkhorn steps grows without bound as scaling nears one.
constexpr double kMaxScaling = 0.99;

absl::Status FieldError(absl::string_view path, absl::string_view expected,
                        absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": expected ", expected, ", found ", found));
}

absl::Status CheckRange(absl::string_view path, uint64_t value, uint64_t min,
                        uint64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return FieldError(path, absl::StrCat("an integer from ", min, " to ", max),
                    absl::StrCat(value));
}

absl::Status CheckFinite(absl::string_view path, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return FieldError(path, "a finite number", absl::StrCat(value));
}

absl::Status CheckPositive(absl::string_view path, double value) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return FieldError(path, "a positive, finite number", absl::StrCat(value));
}

absl::Status CheckName(absl::string_view path, const std::string& name,
                       std::set<absl::string_view>& names_before) {
  if (name.empty()) return FieldError(path, "a name", "\"\"");
  LADDER_RETURN_IF_ERROR(base::CheckText(path, name, kMaxNameBytes));
  if (names_before.insert(name).second) return absl::OkStatus();
  return FieldError(path, "a name that has not come before",
                    absl::StrCat("\"", name, "\" again"));
}

absl::Status CheckCount(absl::string_view path, uint64_t count, uint64_t max) {
  if (count >= 1 && count <= max) return absl::OkStatus();
  return FieldError(path, absl::StrCat("1 to ", max, " elements"),
                    absl::StrCat(count));
}

absl::Status CheckOrigin(const Manifest& manifest) {
  if (absl::Status s = CheckModelName(manifest.model); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("model: ", s.message()));
  }
  LADDER_RETURN_IF_ERROR(
      CheckRange("version", manifest.version, 1, kMaxVersion));
  if (manifest.created < absl::UnixEpoch() ||
      manifest.created >=
          absl::FromCivil(absl::CivilYear(10000), absl::UTCTimeZone())) {
    return FieldError("created", "a time in the years 1970 to 9999",
                      absl::FormatTime(manifest.created, absl::UTCTimeZone()));
  }
  LADDER_RETURN_IF_ERROR(base::CheckText(
      "trainer.version", manifest.trainer_version, kMaxNameBytes));
  return JsonDocument::Parse(manifest.trainer_config, "trainer.config")
      .status();
}

absl::Status CheckClasses(const Manifest& manifest) {
  LADDER_RETURN_IF_ERROR(
      CheckCount("classes", manifest.classes.size(), kMaxClasses));
  std::set<absl::string_view> names;
  for (size_t c = 0; c < manifest.classes.size(); ++c) {
    LADDER_RETURN_IF_ERROR(CheckName(absl::StrCat("classes[", c, "]"),
                                     manifest.classes[c], names));
  }
  return absl::OkStatus();
}

absl::Status CheckSources(const Manifest& manifest) {
  LADDER_RETURN_IF_ERROR(
      CheckCount("sources", manifest.sources.size(), kMaxSources));
  std::set<absl::string_view> names;
  for (size_t e = 0; e < manifest.sources.size(); ++e) {
    const Source& source = manifest.sources[e];
    const std::string path = absl::StrCat("sources[", e, "]");
    LADDER_RETURN_IF_ERROR(
        CheckName(absl::StrCat(path, ".name"), source.name, names));
    LADDER_RETURN_IF_ERROR(
        CheckRange(absl::StrCat(path, ".fingerprint_samples"),
                   source.fingerprint_samples, 1, kMaxStyleSamples));
  }
  return absl::OkStatus();
}

absl::Status CheckDimensions(const Manifest& manifest) {
  LADDER_RETURN_IF_ERROR(CheckRange(
      "content_dimension", manifest.content_dimension, 1, kMaxDimension));
  return CheckRange("style_dimension", manifest.style_dimension, 1,
                    kMaxDimension);
}

absl::Status CheckChannels(const ImageInput& image) {
  for (size_t c = 0; c < image.mean.size(); ++c) {
    LADDER_RETURN_IF_ERROR(
        CheckFinite(absl::StrCat("input.mean[", c, "]"), image.mean[c]));
    LADDER_RETURN_IF_ERROR(
        CheckPositive(absl::StrCat("input.std[", c, "]"), image.std[c]));
  }
  return absl::OkStatus();
}

absl::Status CheckInput(const Manifest& manifest) {
  const auto* image = std::get_if<ImageInput>(&manifest.input);
  const std::string path =
      image == nullptr ? "input.shape" : "input.height and input.width";
  const std::vector<int64_t> shape = SampleShape(manifest.input);
  const std::string found =
      absl::StrCat("a sample of shape [", absl::StrJoin(shape, ", "), "]");
  if (shape.empty() || shape.size() > kMaxSampleRank) {
    return FieldError(
        path, absl::StrCat("1 to ", kMaxSampleRank, " dimensions"), found);
  }
  uint64_t num_elements = 1;
  for (const int64_t size : shape) {
    if (size < 1 ||
        static_cast<uint64_t>(size) > kMaxSampleElements / num_elements) {
      return FieldError(path,
                        absl::StrCat("positive dimensions, at most ",
                                     kMaxSampleElements, " elements in all"),
                        found);
    }
    num_elements *= static_cast<uint64_t>(size);
  }
  return image == nullptr ? absl::OkStatus() : CheckChannels(*image);
}

absl::Status CheckRouting(const Manifest& manifest) {
  const RoutingDefaults& routing = manifest.routing;
  if (routing.method == routing::Method::kFixed) {
    return FieldError("routing.method",
                      "a method that needs no weights from the caller",
                      absl::StrCat("\"", MethodName(routing.method), "\""));
  }
  if (routing.k != routing::kAllSources) {
    LADDER_RETURN_IF_ERROR(
        CheckRange("routing.k", routing.k, 1, manifest.num_sources()));
  }
  LADDER_RETURN_IF_ERROR(CheckPositive("routing.tau", routing.tau));
  if (absl::Status s = routing.sinkhorn.Validate(); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("routing: ", s.message()));
  }
  if (routing.sinkhorn.scaling > kMaxScaling) {
    return FieldError("routing.scaling", absl::StrCat("at most ", kMaxScaling),
                      absl::StrCat(routing.sinkhorn.scaling));
  }
  return CheckRange("routing.max_style_samples", routing.max_style_samples, 1,
                    kMaxStyleSamples);
}

absl::Status CheckCoverage(const Manifest& manifest) {
  LADDER_RETURN_IF_ERROR(manifest.coverage.Validate());
  const auto& levels = manifest.coverage.levels;
  for (size_t i = 0; i < levels.size(); ++i) {
    LADDER_RETURN_IF_ERROR(
        CheckRange(absl::StrCat("coverage.levels[", i, "].num_sources"),
                   levels[i].num_sources, 2, manifest.num_sources()));
  }
  return absl::OkStatus();
}

absl::Status CheckSourceDistances(const Manifest& manifest) {
  const std::vector<double>& distances = manifest.source_distances;
  const size_t num_sources = manifest.num_sources();
  if (distances.empty()) return absl::OkStatus();
  if (distances.size() != num_sources * num_sources) {
    return FieldError(
        "source_distances",
        absl::StrCat(num_sources, " rows of ", num_sources, " numbers"),
        absl::StrCat(distances.size(), " numbers"));
  }
  for (size_t row = 0; row < num_sources; ++row) {
    for (size_t col = 0; col <= row; ++col) {
      const std::string path =
          absl::StrCat("source_distances[", row, "][", col, "]");
      const double distance = distances[row * num_sources + col];
      const double mirrored = distances[col * num_sources + row];
      LADDER_RETURN_IF_ERROR(CheckFinite(path, distance));
      const double expected = row == col ? 0 : mirrored;
      if (distance != expected) {
        return FieldError(
            path,
            absl::StrCat(expected, row == col ? " on the diagonal"
                                              : " as in the mirrored place"),
            absl::StrCat(distance));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<int64_t> SampleShape(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) {
    return {3, image->height, image->width};
  }
  return std::get<TensorInput>(input).shape;
}

absl::Status Manifest::Validate() const {
  constexpr absl::Status (*kChecks[])(const Manifest&) = {
      CheckOrigin, CheckClasses, CheckSources,  CheckDimensions,
      CheckInput,  CheckRouting, CheckCoverage, CheckSourceDistances};
  for (const auto check : kChecks) {
    LADDER_RETURN_IF_ERROR(check(*this));
  }
  return absl::OkStatus();
}

absl::Status CheckModelName(absl::string_view name) {
  constexpr size_t kMaxLength = 128;
  const bool is_safe = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '-' || c == '.';
  });
  if (is_safe && !name.empty() && name.front() != '.' &&
      name.size() <= kMaxLength) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected 1 to ", kMaxLength,
      " letters, digits, '_', '-' and '.', the first not a '.', found \"",
      absl::CHexEscape(name.substr(0, 2 * kMaxLength)), "\""));
}

}  // namespace ladder::model_store
