#include "server/observe/log.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace ladder::server {
namespace {

using Json = nlohmann::ordered_json;

std::string Cut(absl::string_view text) {
  if (text.size() <= kMaxLogString) return std::string(text);
  return absl::StrCat(text.substr(0, kMaxLogString), "...");
}

struct ToJson {
  Json operator()(const std::string& text) const { return Cut(text); }
  Json operator()(const NamedNumbers& numbers) const {
    Json json = Json::object();
    for (const auto& [name, number] : numbers) json[Cut(name)] = number;
    return json;
  }
  template <typename Number>
  Json operator()(Number number) const {
    return number;
  }
};

// ASCII only: some readers also break lines at U+0085 or U+2028.
std::string Dump(const Json& json) {
  return json.dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/true,
                   Json::error_handler_t::replace);
}

std::string Rfc3339(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

bool IsPlainWord(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("_-.:/+", absl::string_view(&c, 1));
  });
}

std::string FormatJson(absl::Time time, LogLevel level,
                       absl::string_view message,
                       absl::Span<const LogField> fields) {
  Json line;
  line["time"] = Rfc3339(time);
  line["level"] = std::string(LogLevelName(level));
  line["message"] = Cut(message);
  for (const LogField& field : fields) {
    line[field.key] = std::visit(ToJson(), field.value);
  }
  return Dump(line);
}

std::string FormatText(absl::Time time, LogLevel level,
                       absl::string_view message,
                       absl::Span<const LogField> fields) {
  const std::string quoted = Dump(Cut(message));
  std::string line = absl::StrCat(
      Rfc3339(time), " ", absl::AsciiStrToUpper(LogLevelName(level)), " ",
      absl::string_view(quoted).substr(1, quoted.size() - 2));
  for (const LogField& field : fields) {
    const auto* text = std::get_if<std::string>(&field.value);
    absl::StrAppend(
        &line, " ", field.key, "=",
        text != nullptr && text->size() <= kMaxLogString && IsPlainWord(*text)
            ? *text
            : Dump(std::visit(ToJson(), field.value)));
  }
  return line;
}

}  // namespace

std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view message,
                          absl::Span<const LogField> fields) {
  return format == LogFormat::kJson ? FormatJson(time, level, message, fields)
                                    : FormatText(time, level, message, fields);
}

Logger::Logger(const LogOptions& options, int descriptor)
    : options_(options), writer_(std::make_unique<LineWriter>(descriptor)) {}

void Logger::Log(LogLevel level, absl::string_view message,
                 absl::Span<const LogField> fields) const {
  if (!Enabled(level)) return;
  writer_->Write(
      FormatLogLine(options_.format, options_.now(), level, message, fields));
}

}  // namespace ladder::server
