#include "trainer/command/config_file.h"

#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/files/fault.h"
#include "base/files/whole_file.h"
#include "base/status_macros.h"

#define TOML_EXCEPTIONS 0
#include "toml++/toml.h"

namespace ladder::trainer {
namespace {

using Json = nlohmann::ordered_json;

absl::Status AddOption(const std::string& name, const Json& value,
                       Json& options) {
  if (!options.contains(name)) {
    options[name] = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected it once, found it in two sections"));
}

absl::StatusOr<Json> Flatten(const Json& config) {
  Json options = Json::object();
  absl::Status status;
  for (const auto& [name, value] : config.items()) {
    if (!value.is_object()) {
      status.Update(AddOption(name, value, options));
      continue;
    }
    for (const auto& [inner_name, inner] : value.items()) {
      status.Update(AddOption(inner_name, inner, options));
    }
  }
  if (!status.ok()) return status;
  return options;
}

absl::StatusOr<Json> ParseToml(const std::string& text) {
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const auto& begin = result.error().source().begin;
    return absl::InvalidArgumentError(
        absl::StrCat("line ", begin.line, ", column ", begin.column, ": ",
                     std::string(result.error().description())));
  }
  std::ostringstream json;
  json << toml::json_formatter(result.table());
  return Json::parse(json.str(), /*cb=*/nullptr, /*allow_exceptions=*/false);
}

absl::StatusOr<Json> ParseJson(const std::string& text) {
  // The parser itself would take the last of two.
  std::vector<std::set<std::string>> names;
  std::string twice;
  const auto note_names = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key &&
        !names.back().insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return true;
  };
  try {
    Json config = Json::parse(text, note_names);
    if (twice.empty()) return config;
    return absl::InvalidArgumentError(
        absl::StrCat(twice, ": expected it once, found it twice"));
  } catch (const nlohmann::json::parse_error& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

absl::StatusOr<Json> Parse(const std::filesystem::path& path,
                           const std::string& text) {
  LADDER_ASSIGN_OR_RETURN(auto config, path.extension() == ".json"
                                           ? ParseJson(text)
                                           : ParseToml(text));
  if (!config.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an object, found ", config.type_name()));
  }
  return Flatten(config);
}

}  // namespace

absl::StatusOr<Json> ReadConfigFile(const std::filesystem::path& path) {
  const std::optional<std::string> text = base::ReadText(path);
  if (!text.has_value()) {
    return absl::NotFoundError(
        absl::StrCat(path.string(), ": expected a file, found none"));
  }
  auto config = Parse(path, *text);
  if (!config.ok()) return base::AtPlace(path.string(), config.status());
  return config;
}

}  // namespace ladder::trainer
