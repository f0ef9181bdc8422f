#include "trainer/data/names.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/files/fault.h"

namespace ladder::trainer {
namespace {

constexpr size_t kMaxNameBytes = 256;

// Their values if all names are integers, else none.
std::vector<int64_t> Values(const std::vector<std::string>& names) {
  std::vector<int64_t> values(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!absl::SimpleAtoi(names[i], &values[i])) return {};
  }
  return values;
}

// How many bytes the UTF-8 sequence that `text` begins with has; 0 if it is not
// one: too short, overlong, a surrogate or beyond U+10FFFF (RFC 3629, 4).
size_t SequenceLength(absl::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  const unsigned second = byte(1);
  const bool is_overlong =
      (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character =
      (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return is_overlong || is_no_character ? 0 : length;
}

bool IsText(absl::string_view text) {
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) return false;
    if (absl::ascii_iscntrl(static_cast<unsigned char>(text[0]))) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

int64_t Names::Number(absl::string_view name) {
  if (const auto it = numbers_.find(name); it != numbers_.end()) {
    return it->second;
  }
  const auto number = static_cast<int64_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), number);
  return number;
}

Names::Sorted Names::Sort() const {
  const std::vector<int64_t> values = Values(names_);
  std::vector<size_t> order(names_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    // "07" and "7" have one value and are two names.
    if (!values.empty() && values[a] != values[b]) return values[a] < values[b];
    return names_[a] < names_[b];
  });
  Sorted sorted;
  sorted.rank.resize(names_.size());
  for (const size_t number : order) {
    sorted.rank[number] = static_cast<int64_t>(sorted.names.size());
    sorted.names.push_back(names_[number]);
  }
  return sorted;
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.empty()) {
    return base::Fault("missing value",
                       absl::StrCat(what, ": expected a name"));
  }
  if (name.size() <= kMaxNameBytes && IsText(name)) return absl::OkStatus();
  return base::Fault(
      "bad name",
      absl::StrCat(what, ": expected at most ", kMaxNameBytes,
                   " bytes of UTF-8 without control characters, found "
                   "\"",
                   absl::CHexEscape(name.substr(0, 40)), "\" (", name.size(),
                   " bytes)"));
}

}  // namespace ladder::trainer
