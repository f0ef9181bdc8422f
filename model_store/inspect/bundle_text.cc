#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/terminal/table.h"
#include "model_store/inspect/bundle_report.h"

namespace ladder::model_store {
namespace {

using Rows = std::vector<std::vector<base::Cell>>;

constexpr size_t kMaxClassesShown = 20;

// The rows in aligned columns, indented below a line with the title. The first
// row has all columns; others may be shorter.
std::string Section(absl::string_view title, Rows rows) {
  base::Table table(std::vector<base::Column>(rows.front().size()));
  for (std::vector<base::Cell>& row : rows) table.AddRow(std::move(row));
  const std::string text = absl::StrCat(title, "\n", table.Render({}));
  return absl::StrReplaceAll(absl::StripSuffix(text, "\n"), {{"\n", "\n  "}}) +
         "\n";
}

std::string InputText(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) {
    return absl::StrCat("image, ", image->height, " x ", image->width,
                        " pixels, mean ", absl::StrJoin(image->mean, " "),
                        ", std ", absl::StrJoin(image->std, " "));
  }
  return absl::StrCat("tensor, ",
                      absl::StrJoin(std::get<TensorInput>(input).shape, " x "));
}

std::string ClassesText(const std::vector<std::string>& classes) {
  std::vector<std::string> shown;
  for (const std::string& name : classes) {
    if (shown.size() == kMaxClassesShown) {
      shown.push_back(
          absl::StrCat("and ", classes.size() - kMaxClassesShown, " more"));
      break;
    }
    shown.push_back(Printable(name));
  }
  return absl::StrCat(classes.size(), ": ", absl::StrJoin(shown, ", "));
}

Rows OverviewRows(const BundleSummary& bundle) {
  const Manifest& manifest = bundle.manifest();
  return {{"path", bundle.path.string()},
          {"sha256", bundle.file.sha256},
          {"created", absl::FormatTime(manifest.created, absl::UTCTimeZone())},
          {"trainer", Printable(manifest.trainer_version)},
          {"size", SizeText(bundle.size)},
          {"input", InputText(manifest.input)},
          {"content", absl::StrCat(manifest.content_dimension, " dimensions")},
          {"style", absl::StrCat(manifest.style_dimension, " dimensions")},
          {"classes", ClassesText(manifest.classes)}};
}

Rows RoutingRows(const RoutingDefaults& routing) {
  return {{"method", std::string(routing::MethodName(routing.method))},
          {"k", routing.k == routing::kAllSources ? "all sources"
                                                  : absl::StrCat(routing.k)},
          {"tau", absl::StrCat(routing.tau)},
          {"blur", absl::StrCat(routing.sinkhorn.blur)},
          {"scaling", absl::StrCat(routing.sinkhorn.scaling)},
          {"max style samples", absl::StrCat(routing.max_style_samples)},
          {"seed", absl::StrCat(routing.seed)}};
}

// The nearest other source of source `e`, if that was measured.
std::string NearestText(const Manifest& manifest, size_t e) {
  const size_t count = manifest.num_sources();
  if (manifest.source_distances.empty() || count < 2) return "-";
  const double* const row = manifest.source_distances.data() + e * count;
  size_t nearest = e == 0 ? 1 : 0;
  for (size_t other = 0; other < count; ++other) {
    if (other != e && row[other] < row[nearest]) nearest = other;
  }
  return absl::StrFormat("%.4g from %s", row[nearest],
                         Printable(manifest.sources[nearest].name));
}

Rows SourceRows(const Manifest& manifest) {
  Rows rows = {{"NAME", "TRAINING", "FINGERPRINT", "NEAREST OTHER"}};
  for (size_t e = 0; e < manifest.num_sources(); ++e) {
    const Source& source = manifest.sources[e];
    rows.push_back(
        {Printable(source.name), absl::StrCat(source.training_samples),
         absl::StrCat(source.fingerprint_samples), NearestText(manifest, e)});
  }
  return rows;
}

Rows CoverageRows(const routing::CoverageCalibration& coverage) {
  if (coverage.levels.empty()) return {{"none: every verdict is UNKNOWN"}};
  Rows rows = {{"SAMPLES", "SOURCES", "MEDIAN", "LARGEST"}};
  for (const auto& level : coverage.levels) {
    const double median = level.quantiles[level.quantiles.size() / 2];
    rows.push_back({absl::StrCat(level.sample_size),
                    absl::StrCat(level.num_sources),
                    absl::StrFormat("%.4g", median),
                    absl::StrFormat("%.4g", level.quantiles.back())});
  }
  return rows;
}

Rows FileRows(const Manifest& manifest) {
  Rows rows = {{"NAME", "SIZE", "SHA256"}};
  for (const auto& [name, record] : manifest.files) {
    rows.push_back({Printable(name), SizeText(record.size), record.sha256});
  }
  return rows;
}

// router.onnx has the fingerprints once more, for devices that measure
// distances by a graph.
Rows StorageRows(const Manifest& manifest) {
  uint64_t most_samples = 0;  // m: shorter fingerprints are padded.
  for (const Source& source : manifest.sources) {
    most_samples = std::max<uint64_t>(most_samples, source.fingerprint_samples);
  }
  const uint64_t num_sources = manifest.num_sources();
  const uint64_t heads = sizeof(float) * num_sources * manifest.num_classes() *
                         manifest.content_dimension;
  const uint64_t fingerprints =
      sizeof(float) * num_sources * most_samples * manifest.style_dimension;
  uint64_t all_files = 0;
  const auto size_of = [&](const char* file) {
    const auto found = manifest.files.find(file);
    const uint64_t size =
        found == manifest.files.end() ? 0 : found->second.size;
    all_files += size;
    return absl::StrCat(size);
  };
  Rows rows = {
      {"PART", "FORMULA", "FLOATS", "FILE", "NAME"},
      {"source classifiers", "4 E C d_c", absl::StrCat(heads),
       size_of(kHeadsFile), kHeadsFile},
      {"style fingerprints", "4 E m d_s", absl::StrCat(fingerprints),
       size_of(kFingerprintsFile), kFingerprintsFile},
      {"distances as a graph", "", "", size_of(kRouterFile), kRouterFile}};
  rows.push_back({"together", "", absl::StrCat(heads + fingerprints),
                  absl::StrCat(all_files)});
  return rows;
}

}  // namespace

absl::StatusOr<BundleSummary> ReadSummary(const std::filesystem::path& bundle) {
  LADDER_ASSIGN_OR_RETURN(ManifestFile file, ReadManifestFile(bundle));
  uint64_t size = file.text.size();
  for (const auto& [name, record] : file.manifest.files) size += record.size;
  return BundleSummary{.path = bundle, .file = std::move(file), .size = size};
}

std::string SizeText(uint64_t bytes) {
  constexpr uint64_t kStep = 1000;
  if (bytes < kStep) return absl::StrCat(bytes, " B");
  const char* const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
  auto size = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  while (size >= kStep && unit + 1 < std::size(units)) {
    size /= kStep;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", size, units[unit]);
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(/*indent=*/2, /*indent_char=*/' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::string Printable(absl::string_view text) {
  return absl::Utf8SafeCEscape(text);
}

std::string StorageText(const Manifest& manifest) {
  return Section("storage beyond the encoder, in bytes", StorageRows(manifest));
}

std::string BundleText(const BundleSummary& bundle) {
  const Manifest& manifest = bundle.manifest();
  const std::string title =
      absl::StrCat("model ", manifest.model, ", version ", manifest.version);
  return absl::StrCat(
      Section(title, OverviewRows(bundle)),
      Section("routing by default", RoutingRows(manifest.routing)),
      Section(absl::StrCat("sources (", manifest.num_sources(), ")"),
              SourceRows(manifest)),
      Section("coverage calibration", CoverageRows(manifest.coverage)),
      Section("files", FileRows(manifest)), StorageText(manifest));
}

std::string BundleJson(const BundleSummary& bundle) {
  const nlohmann::ordered_json json = {
      {"path", bundle.path.string()},
      {"sha256", bundle.file.sha256},
      {"size", bundle.size},
      {"manifest", nlohmann::ordered_json::parse(bundle.file.text)}};
  return JsonText(json);
}

}  // namespace ladder::model_store
