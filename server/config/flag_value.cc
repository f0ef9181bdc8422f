#include "server/config/flag_value.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text/text.h"
#include "model_store/format/manifest.h"

namespace ladder::server {
namespace {

using model_store::VersionPolicy;
using FlagOptions = FlagValue::Options;
using FlagPolicies = FlagValue::Policies;
using FlagLabels = FlagValue::Labels;

constexpr absl::string_view kLatestText = "latest:";
constexpr absl::string_view kAllText = "all";
constexpr absl::string_view kSpecificText = "specific:";

struct ByteUnit {
  absl::string_view suffix;
  uint64_t bytes;
};

// The binary ones, which sizes are written in, come first.
constexpr ByteUnit kByteUnits[] = {
    {"GiB", uint64_t{1} << 30}, {"MiB", uint64_t{1} << 20},
    {"KiB", uint64_t{1} << 10}, {"GB", 1'000'000'000},
    {"MB", 1'000'000},          {"KB", 1'000}};
constexpr size_t kNumBinaryUnits = 3;

std::optional<VersionPolicy> ParseVersionPolicy(absl::string_view text) {
  if (text == kAllText) return VersionPolicy::All();
  if (absl::ConsumePrefix(&text, kLatestText)) {
    const auto count = ParseWhole(text, /*min=*/1);
    if (!count) return {};
    return VersionPolicy::Latest(*count);
  }
  if (!absl::ConsumePrefix(&text, kSpecificText)) return {};
  std::set<uint64_t> versions;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const auto version = ParseWhole(part, /*min=*/1);
    if (!version) return {};
    versions.insert(*version);
  }
  return VersionPolicy::Specific(std::move(versions));
}

// "key=value", cut at the first `separator`; what is missing is empty.
std::pair<std::string, std::string> CutAtFirst(absl::string_view text,
                                               char separator) {
  return absl::StrSplit(text, absl::MaxSplits(separator, 1));
}

// Each ReadValue gives `value` what `text` says, and returns false if it is not
// what is expected; then `value` does not matter any more.

bool ReadValue(const FlagValue&, absl::string_view text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}

bool ReadValue(const FlagValue& kind, absl::string_view text, int& value) {
  const auto whole = ParseWhole(text, kind.min, kind.max);
  value = static_cast<int>(whole.value_or(0));
  return whole.has_value();
}

bool ReadValue(const FlagValue& kind, absl::string_view text, uint64_t& value) {
  uint64_t factor = 1;
  for (const ByteUnit& unit : kByteUnits) {
    if (kind.has_suffix && absl::ConsumeSuffix(&text, unit.suffix)) {
      factor = unit.bytes;
      break;
    }
  }
  const auto count =
      ParseWhole(text, 0, std::numeric_limits<uint64_t>::max() / factor);
  value = count.value_or(0) * factor;
  return count && value >= kind.min && value <= kind.max;
}

bool ReadValue(const FlagValue& kind, absl::string_view text,
               absl::Duration& value) {
  if (kind.is_microseconds) {
    const auto whole = ParseWhole(text, kind.min, kind.max);
    value = absl::Microseconds(static_cast<int64_t>(whole.value_or(0)));
    return whole.has_value();
  }
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || std::isnan(seconds)) return false;
  value = absl::Seconds(seconds);
  return value >= absl::Microseconds(static_cast<int64_t>(kind.min)) &&
         value <= absl::Microseconds(static_cast<int64_t>(kind.max));
}

bool ReadValue(const FlagValue& kind, absl::string_view text,
               std::string& value) {
  value = std::string(text);
  return kind.accepts == nullptr || kind.accepts(text);
}

bool ReadValue(const FlagValue& kind, absl::string_view text,
               std::vector<size_t>& value) {
  value.clear();
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const auto size =
        ParseWhole(part, value.empty() ? kind.min : value.back() + 1, kind.max);
    if (!size) return false;
    value.push_back(*size);
  }
  return true;
}

bool ReadValue(const FlagValue& kind, absl::string_view text,
               std::vector<std::string>& value) {
  value = absl::StrSplit(text, ',', absl::SkipEmpty());
  return std::all_of(value.begin(), value.end(), kind.accepts);
}

bool ReadValue(const FlagValue&, absl::string_view text, FlagOptions& value) {
  value.clear();
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const auto option = CutAtFirst(part, '=');
    if (option.first.empty() || option.second.empty() ||
        !value.insert(option).second) {
      return false;
    }
  }
  return true;
}

template <typename Enum>
requires std::is_enum_v<Enum>
bool ReadValue(const FlagValue& kind, absl::string_view text, Enum& value) {
  const auto word = std::find(kind.words.begin(), kind.words.end(), text);
  value = static_cast<Enum>(word - kind.words.begin());
  return word != kind.words.end();
}

bool ReadValue(const FlagValue&, absl::string_view text, VersionPolicy& value) {
  auto policy = ParseVersionPolicy(text);
  if (policy) value = *std::move(policy);
  return policy.has_value();
}

bool ReadValue(const FlagValue&, absl::string_view text, FlagPolicies& value) {
  value.clear();
  for (const absl::string_view part :
       absl::StrSplit(text, ';', absl::SkipEmpty())) {
    const auto [model, policy_text] = CutAtFirst(part, '=');
    const auto policy = ParseVersionPolicy(policy_text);
    if (!policy || !model_store::CheckModelName(model).ok() ||
        !value.emplace(model, *policy).second) {
      return false;
    }
  }
  return true;
}

bool ReadValue(const FlagValue&, absl::string_view text, FlagLabels& value) {
  value.clear();
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const auto [name, version_text] = CutAtFirst(part, '=');
    const auto [model, label] = CutAtFirst(name, ':');
    const auto version = ParseWhole(version_text, /*min=*/1);
    if (!version || !model_store::CheckModelName(model).ok() ||
        !model_store::CheckLabel(label).ok() ||
        !value[model].emplace(label, *version).second) {
      return false;
    }
  }
  return true;
}

// Each JoinValues adds `more` to `value`, where what came later wins. A value
// that is not repeatable is replaced.

template <typename T>
void JoinValues(T& value, T more) {
  value = std::move(more);
}

void JoinValues(std::vector<std::string>& value,
                std::vector<std::string> more) {
  value.insert(value.end(), more.begin(), more.end());
}

template <typename T>
void JoinValues(std::map<std::string, T>& value,
                std::map<std::string, T> more) {
  more.merge(value);
  value = std::move(more);
}

void JoinValues(FlagLabels& value, FlagLabels more) {
  for (auto& [model, versions] : more)
    JoinValues(value[model], std::move(versions));
}

// Each WriteValue is the way back from ReadValue.

std::string WriteValue(const FlagValue&, const bool& value) {
  return value ? "true" : "false";
}

std::string WriteValue(const FlagValue&, const int& value) {
  return absl::StrCat(value);
}

std::string WriteValue(const FlagValue& kind, const uint64_t& value) {
  for (size_t u = 0; kind.has_suffix && u < kNumBinaryUnits; ++u) {
    const ByteUnit& unit = kByteUnits[u];
    if (value > 0 && value % unit.bytes == 0) {
      return absl::StrCat(value / unit.bytes, unit.suffix);
    }
  }
  return absl::StrCat(value);
}

std::string WriteValue(const FlagValue& kind, const absl::Duration& value) {
  return kind.is_microseconds
             ? absl::StrCat(absl::ToInt64Microseconds(value))
             : absl::StrFormat("%.15g", absl::ToDoubleSeconds(value));
}

std::string WriteValue(const FlagValue&, const std::string& value) {
  return value;
}

template <typename T>
std::string WriteValue(const FlagValue&, const std::vector<T>& value) {
  return absl::StrJoin(value, ",");
}

std::string WriteValue(const FlagValue&, const FlagOptions& value) {
  return absl::StrJoin(value, ",", absl::PairFormatter("="));
}

template <typename Enum>
requires std::is_enum_v<Enum> std::string WriteValue(const FlagValue& kind,
                                                     const Enum& value) {
  const auto index = static_cast<size_t>(value);
  return std::string(index < kind.words.size() ? kind.words[index] : "unknown");
}

std::string WriteValue(const FlagValue&, const VersionPolicy& value) {
  switch (value.kind) {
    case VersionPolicy::Kind::kLatest:
      return absl::StrCat(kLatestText, value.count);
    case VersionPolicy::Kind::kAll:
      return std::string(kAllText);
    case VersionPolicy::Kind::kSpecific:
      return absl::StrCat(kSpecificText, absl::StrJoin(value.versions, ","));
  }
  return "unknown";
}

std::string WriteValue(const FlagValue& kind, const FlagPolicies& value) {
  std::vector<std::string> parts;
  for (const auto& [model, policy] : value) {
    parts.push_back(absl::StrCat(model, "=", WriteValue(kind, policy)));
  }
  return absl::StrJoin(parts, ";");
}

std::string WriteValue(const FlagValue&, const FlagLabels& value) {
  std::vector<std::string> parts;
  for (const auto& [model, versions] : value) {
    for (const auto& [label, version] : versions) {
      parts.push_back(absl::StrCat(model, ":", label, "=", version));
    }
  }
  return absl::StrJoin(parts, ",");
}

}  // namespace

bool FlagValue::Set(absl::string_view text, bool joins) const {
  return std::visit(
      [&](auto* target) {
        auto value = *target;
        if (!ReadValue(*this, text, value)) return false;
        if (joins) {
          JoinValues(*target, std::move(value));
        } else {
          *target = std::move(value);
        }
        return true;
      },
      field);
}

std::string FlagValue::Get() const {
  return std::visit([&](auto* target) { return WriteValue(*this, *target); },
                    field);
}

bool FlagValue::is_repeatable() const {
  return std::holds_alternative<std::vector<std::string>*>(field) ||
         std::holds_alternative<Options*>(field) ||
         std::holds_alternative<Policies*>(field) ||
         std::holds_alternative<Labels*>(field);
}

std::optional<uint64_t> ParseWhole(absl::string_view text, uint64_t min,
                                   uint64_t max) {
  // SimpleAtoi alone would take spaces and signs.
  const bool all_digits =
      std::all_of(text.begin(), text.end(),
                  [](unsigned char c) { return absl::ascii_isdigit(c); });
  uint64_t value = 0;
  if (!all_digits || !absl::SimpleAtoi(text, &value)) return {};
  if (value < min || value > max) return {};
  return value;
}

absl::Status WrongValueError(absl::string_view origin,
                             absl::string_view expected,
                             absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat(
      origin, ": expected ", expected, ", got ", base::Quoted(got)));
}

}  // namespace ladder::server
