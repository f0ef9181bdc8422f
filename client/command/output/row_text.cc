#include "client/command/output/row_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

template <typename Number>
void AppendShortest(Number number, std::string& row) {
  std::array<char, 32> text;  // A double needs 24.
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number);
  row.append(text.data(), end.ptr);
}

template <typename Number>
void AppendShortestOrNull(Number number, std::string& row) {
  if (std::isfinite(number)) {
    AppendShortest(number, row);
  } else {
    row.append("null");
  }
}

}  // namespace

void AppendCsvField(absl::string_view text, std::string& row) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) {
    row.append(text.data(), text.size());
    return;
  }
  row.push_back('"');
  for (const char c : text) {
    if (c == '"') row.push_back('"');
    row.push_back(c);
  }
  row.push_back('"');
}

void AppendJsonString(absl::string_view text, std::string& row) {
  row += nlohmann::json(std::string(text))
             .dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
                   nlohmann::json::error_handler_t::replace);
}

std::string ReadableText(absl::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return nlohmann::json::parse(json).get<std::string>();
}

void AppendNumber(float number, std::string& row) {
  AppendShortest(number, row);
}

void AppendNumber(double number, std::string& row) {
  AppendShortest(number, row);
}

void AppendJsonNumber(float number, std::string& row) {
  AppendShortestOrNull(number, row);
}

void AppendJsonNumber(double number, std::string& row) {
  AppendShortestOrNull(number, row);
}

}  // namespace ladder::client
