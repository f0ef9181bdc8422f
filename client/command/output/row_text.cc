#include "client/command/output/row_text.h"

#include <cmath>

#include "base/text/quantities.h"
#include "nlohmann/json.hpp"

namespace ladder::client {

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

void AppendJsonNumber(float number, std::string& row) {
  row += std::isfinite(number) ? base::ShortestText(number) : "null";
}

void AppendJsonNumber(double number, std::string& row) {
  row += std::isfinite(number) ? base::ShortestText(number) : "null";
}

}  // namespace ladder::client
