#include "server/config/flag_error.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace ladder::server {
namespace {

// Insertions, deletions and replacements that make `b` of `a` (Levenshtein).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Quoted(absl::string_view text) {
  constexpr size_t kMaxShown = 200;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxShown)),
                      text.size() > kMaxShown ? "...\"" : "\"");
}

absl::Status WrongValueError(absl::string_view origin,
                             absl::string_view expected,
                             absl::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat(origin, ": expected ", expected, ", got ", Quoted(got)));
}

std::string NearestName(absl::string_view name,
                        const std::vector<std::string>& names) {
  // A third of the letters may be wrong. What is longer than this is no slip.
  constexpr size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return {};
  size_t smallest = name.size() / 3 + 1;
  std::string nearest;
  for (const std::string& candidate : names) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

absl::Status UnknownFlagError(absl::string_view name,
                              const std::vector<std::string>& flags) {
  const std::string nearest = NearestName(name, flags);
  return absl::InvalidArgumentError(absl::StrCat(
      "expected a known flag",
      nearest.empty() ? "" : absl::StrCat(", perhaps ", nearest), ", got ",
      Quoted(name), nearest.empty() ? " (--help lists all)" : ""));
}

}  // namespace ladder::server
