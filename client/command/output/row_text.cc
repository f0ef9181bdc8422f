#include "client/command/output/row_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text/quantities.h"
#include "base/text/text.h"
#include "nlohmann/json.hpp"

namespace ladder::client {
namespace {

// `text` with control characters as `escape` writes their codes.
std::string WithoutControls(absl::string_view text,
                            std::string (*escape)(uint32_t code)) {
  std::string written;
  while (!text.empty()) {
    const base::Character c = base::FirstCharacter(text);
    const size_t num_bytes = std::max<size_t>(c.num_bytes, 1);
    const bool is_control = c.num_bytes > 0 && base::IsControl(c.code);
    if (is_control) {
      written += escape(c.code);
    } else {
      absl::StrAppend(&written, text.substr(0, num_bytes));
    }
    text.remove_prefix(num_bytes);
  }
  return written;
}

}  // namespace

std::string VisibleText(absl::string_view text) {
  return WithoutControls(base::ValidText(text), [](uint32_t code) {
    return absl::StrFormat("\\x%02X", code);
  });
}

void AppendJsonString(absl::string_view text, std::string& row) {
  const std::string json =
      nlohmann::json(std::string(text))
          .dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
                nlohmann::json::error_handler_t::replace);
  // The library leaves those alone that JSON allows.
  row += WithoutControls(
      json, [](uint32_t code) { return absl::StrFormat("\\u%04x", code); });
}

std::string ReadableText(absl::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return nlohmann::json::parse(json).get<std::string>();
}

void AppendJsonNumber(float number, std::string& row) {
  row += std::isfinite(number) ? base::ShortestText(number) : "null";
}

void AppendJsonNumber(double number, std::string& row) {
  row += std::isfinite(number) ? base::ShortestText(number) : "null";
}

}  // namespace ladder::client
