#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model_store/format/json_reader.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

absl::Time ReadTime(const JsonValue& value) {
  absl::Time time;
  std::string problem;
  const std::string text = value.String();
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &problem) ||
      time == absl::InfiniteFuture() || time == absl::InfinitePast()) {
    value.Fail("a time like \"2026-11-16T06:30:00Z\"");
  }
  return time;
}

Source ReadSource(const JsonValue& value) {
  return {.name = value["name"].String(),
          .training_samples = value["training_samples"].Integer(),
          .fingerprint_samples = value["fingerprint_samples"].Integer()};
}

std::array<float, 3> ReadChannels(const JsonValue& value) {
  std::array<float, 3> channels = {};
  const std::vector<JsonValue> elements = value.Elements();
  if (elements.size() != channels.size()) {
    value.Fail("one number for each of red, green and blue");
    return channels;
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    channels[c] = elements[c].Float();
  }
  return channels;
}

InputSpec ReadInput(const JsonValue& value) {
  const std::string kind = value["kind"].String();
  if (kind == "image") {
    return ImageInput{
        .height = static_cast<int64_t>(value["height"].Integer(INT64_MAX)),
        .width = static_cast<int64_t>(value["width"].Integer(INT64_MAX)),
        .mean = ReadChannels(value["mean"]),
        .std = ReadChannels(value["std"])};
  }
  if (kind != "tensor") value["kind"].Fail("\"image\" or \"tensor\"");
  TensorInput input;
  for (const JsonValue& size : value["shape"].Elements()) {
    input.shape.push_back(static_cast<int64_t>(size.Integer(INT64_MAX)));
  }
  return input;
}

routing::Method ReadMethod(const JsonValue& value) {
  const auto method = routing::ParseMethod(value.String());
  if (method.ok()) return *method;
  value.Fail("the name of a routing method");
  return routing::Method::kLadder;
}

size_t ReadNeighbours(const JsonValue& value) {
  if (!value.IsString()) return value.Integer(SIZE_MAX - 1);
  if (value.String() != "all") value.Fail("an integer or \"all\"");
  return routing::kAllSources;
}

RoutingDefaults ReadRouting(const JsonValue& value) {
  // Parts of the distance's definition that this format version fixes.
  if (value["p"].Number() != 1) value["p"].Fail("1");
  if (value["diameter"].String() != "pair") value["diameter"].Fail("\"pair\"");
  return {.method = ReadMethod(value["method"]),
          .k = ReadNeighbours(value["k"]),
          .tau = value["tau"].Number(),
          .sinkhorn = {.blur = value["blur"].Number(),
                       .scaling = value["scaling"].Number()},
          .max_style_samples = value["max_style_samples"].Integer(),
          .seed = value["seed"].Integer()};
}

routing::CoverageCalibration ReadCoverage(const JsonValue& value) {
  routing::CoverageCalibration coverage;
  for (const JsonValue& level : value["levels"].Elements()) {
    coverage.levels.push_back({.sample_size = level["sample_size"].Integer(),
                               .num_sources = level["num_sources"].Integer(),
                               .quantiles = level["quantiles"].Numbers()});
  }
  return coverage;
}

std::vector<double> ReadSquareMatrix(const JsonValue& value, size_t size) {
  std::vector<double> matrix;
  const std::vector<JsonValue> rows = value.Elements();
  if (rows.size() != size) value.Fail(absl::StrCat("an array of ", size));
  for (const JsonValue& row : rows) {
    const std::vector<double> numbers = row.Numbers();
    if (numbers.size() != size) row.Fail(absl::StrCat("an array of ", size));
    matrix.insert(matrix.end(), numbers.begin(), numbers.end());
  }
  return matrix;
}

FileRecord ReadFileRecord(const JsonValue& value) {
  FileRecord record{.size = value["size"].Integer(),
                    .sha256 = value["sha256"].String()};
  const bool is_hex =
      std::all_of(record.sha256.begin(), record.sha256.end(), [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
               (c >= 'a' && c <= 'f');
      });
  if (record.sha256.size() != 64 || !is_hex) {
    value["sha256"].Fail("64 lower-case hexadecimal digits");
  }
  return record;
}

Manifest ReadRoot(const JsonValue& root) {
  Manifest manifest;
  manifest.model = root["model"].String();
  manifest.version = root["version"].Integer();
  manifest.created = ReadTime(root["created"]);
  manifest.trainer_version = root["trainer"]["version"].String();
  if (root["trainer"].Has("config")) {
    manifest.trainer_config = root["trainer"]["config"].ObjectText();
  }
  for (const JsonValue& name : root["classes"].Elements()) {
    manifest.classes.push_back(name.String());
  }
  for (const JsonValue& source : root["sources"].Elements()) {
    manifest.sources.push_back(ReadSource(source));
  }
  manifest.content_dimension = root["content_dimension"].Integer();
  manifest.style_dimension = root["style_dimension"].Integer();
  manifest.input = ReadInput(root["input"]);
  manifest.routing = ReadRouting(root["routing"]);
  if (root.Has("coverage")) manifest.coverage = ReadCoverage(root["coverage"]);
  if (root.Has("source_distances")) {
    manifest.source_distances =
        ReadSquareMatrix(root["source_distances"], manifest.num_sources());
  }
  for (const auto& [name, record] : root["files"].Members()) {
    manifest.files[name] = ReadFileRecord(record);
  }
  return manifest;
}

using nlohmann::ordered_json;

// The double that is written with the fewest digits which give `value` back.
double ShortestDouble(float value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  double shortest = 0;
  std::from_chars(std::begin(text), end, shortest);
  return shortest;
}

ordered_json Channels(const std::array<float, 3>& channels) {
  ordered_json array = ordered_json::array();
  for (const float channel : channels) array.push_back(ShortestDouble(channel));
  return array;
}

ordered_json InputJson(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) {
    return {{"kind", "image"},
            {"height", image->height},
            {"width", image->width},
            {"mean", Channels(image->mean)},
            {"std", Channels(image->std)}};
  }
  return {{"kind", "tensor"}, {"shape", std::get<TensorInput>(input).shape}};
}

ordered_json SourcesJson(const std::vector<Source>& sources) {
  ordered_json array = ordered_json::array();
  for (const Source& source : sources) {
    array.push_back({{"name", source.name},
                     {"training_samples", source.training_samples},
                     {"fingerprint_samples", source.fingerprint_samples}});
  }
  return array;
}

ordered_json RoutingJson(const RoutingDefaults& routing) {
  const ordered_json k = routing.k == routing::kAllSources
                             ? ordered_json("all")
                             : ordered_json(routing.k);
  const absl::string_view method = MethodName(routing.method);
  return {{"method", std::string(method)},
          {"k", k},
          {"tau", routing.tau},
          {"p", 1},
          {"blur", routing.sinkhorn.blur},
          {"scaling", routing.sinkhorn.scaling},
          {"diameter", "pair"},
          {"max_style_samples", routing.max_style_samples},
          {"seed", routing.seed}};
}

ordered_json CoverageJson(const routing::CoverageCalibration& coverage) {
  ordered_json levels = ordered_json::array();
  for (const auto& level : coverage.levels) {
    levels.push_back({{"sample_size", level.sample_size},
                      {"num_sources", level.num_sources},
                      {"quantiles", level.quantiles}});
  }
  return {{"levels", std::move(levels)}};
}

ordered_json MatrixJson(const std::vector<double>& values, size_t num_columns) {
  ordered_json rows = ordered_json::array();
  for (auto row = values.begin(); row != values.end();
       row += static_cast<ptrdiff_t>(num_columns)) {
    rows.push_back(
        std::vector<double>(row, row + static_cast<ptrdiff_t>(num_columns)));
  }
  return rows;
}

ordered_json FilesJson(const std::map<std::string, FileRecord>& files) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, record] : files) {
    object[name] = {{"size", record.size}, {"sha256", record.sha256}};
  }
  return object;
}

// Numbers of one array share a line: matrices and quantiles stay readable.
bool FitsOneLine(const ordered_json& value) {
  return !value.is_structured() || value.empty() ||
         (value.is_array() &&
          std::all_of(value.begin(), value.end(),
                      [](const auto& element) { return element.is_number(); }));
}

void Append(const ordered_json& value, const std::string& indent,
            std::string& text) {
  if (FitsOneLine(value)) {
    text += value.dump();
    return;
  }
  const std::string inner = indent + "  ";
  absl::string_view separator = "";
  text += value.is_object() ? '{' : '[';
  for (auto child = value.begin(); child != value.end(); ++child) {
    absl::StrAppend(&text, separator, "\n", inner);
    if (value.is_object()) {
      absl::StrAppend(&text, ordered_json(child.key()).dump(), ": ");
    }
    Append(*child, inner, text);
    separator = ",";
  }
  absl::StrAppend(&text, "\n", indent, value.is_object() ? "}" : "]");
}

}  // namespace

absl::StatusOr<Manifest> ParseManifest(absl::string_view json) {
  if (json.size() > kMaxManifestBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(kManifestFile, ": expected at most ", kMaxManifestBytes,
                     " bytes, found ", json.size()));
  }
  LADDER_ASSIGN_OR_RETURN(JsonDocument document,
                          JsonDocument::Parse(json, kManifestFile));
  const JsonValue root = document.root();

  // The version comes first: in another one, all other fields may mean
  // something else.
  const JsonValue format_version = root["format_version"];
  if (format_version.Integer() != kFormatVersion) {
    format_version.Fail(absl::StrCat(
        kFormatVersion, ", the format version that this program reads"));
  }
  LADDER_RETURN_IF_ERROR(document.status());

  Manifest manifest = ReadRoot(root);
  LADDER_RETURN_IF_ERROR(document.status());
  if (absl::Status status = manifest.Validate(); !status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kManifestFile, ": ", status.message()));
  }
  return manifest;
}

std::string FormatManifest(const Manifest& manifest) {
  ordered_json root = {
      {"format_version", kFormatVersion},
      {"model", manifest.model},
      {"version", manifest.version},
      {"created", absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", manifest.created,
                                   absl::UTCTimeZone())},
      {"trainer",
       {{"version", manifest.trainer_version},
        {"config", ordered_json::parse(manifest.trainer_config)}}},
      {"classes", manifest.classes},
      {"sources", SourcesJson(manifest.sources)},
      {"content_dimension", manifest.content_dimension},
      {"style_dimension", manifest.style_dimension},
      {"input", InputJson(manifest.input)},
      {"routing", RoutingJson(manifest.routing)},
      {"coverage", CoverageJson(manifest.coverage)},
  };
  if (!manifest.source_distances.empty()) {
    root["source_distances"] =
        MatrixJson(manifest.source_distances, manifest.num_sources());
  }
  root["files"] = FilesJson(manifest.files);
  std::string text;
  Append(root, /*indent=*/"", text);
  text += '\n';
  return text;
}

}  // namespace ladder::model_store
