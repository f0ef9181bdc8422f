#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model_store/format/manifest.h"

namespace ladder::model_store {
namespace {

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
