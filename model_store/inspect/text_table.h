#ifndef LADDER_MODEL_STORE_INSPECT_TEXT_TABLE_H_
#define LADDER_MODEL_STORE_INSPECT_TEXT_TABLE_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ladder::model_store {

// Rows of text in aligned columns, each row on a line that begins with
// `indent`. Rows may differ in length; the last cell is not padded.
std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      absl::string_view indent = "");

// "512 B", "1.5 KB", "2.0 GB": powers of 1000.
std::string SizeText(uint64_t bytes);

// `json`, indented. Paths may hold any bytes; what is not UTF-8 is replaced.
std::string JsonText(const nlohmann::ordered_json& json);

// Safe for a terminal: control characters and quotes are escaped.
std::string Printable(absl::string_view text);

}  // namespace ladder::model_store

#endif  // LADDER_MODEL_STORE_INSPECT_TEXT_TABLE_H_
