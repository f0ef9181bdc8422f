#include "model_store/inspect/text_table.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ladder::model_store {

std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      absl::string_view indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    text.append(indent.data(), indent.size());
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 == row.size()) continue;
      text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
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

}  // namespace ladder::model_store
