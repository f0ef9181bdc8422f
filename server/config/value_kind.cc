#include "server/config/value_kind.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ladder::server {
namespace {

constexpr int kMaxPort = 65535;
constexpr absl::Duration kShortest = absl::Milliseconds(1);

struct Unit {
  absl::string_view suffix;
  uint64_t bytes;
};

// Those that a size is written in first.
constexpr Unit kUnits[] = {
    {"GiB", uint64_t{1} << 30}, {"MiB", uint64_t{1} << 20},
    {"KiB", uint64_t{1} << 10}, {"GB", 1'000'000'000},
    {"MB", 1'000'000},          {"KB", 1'000}};
constexpr size_t kNumBinaryUnits = 3;

bool AllDigits(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// SimpleAtoi alone would take spaces and signs.
std::optional<uint64_t> ParseWhole(absl::string_view text) {
  uint64_t value = 0;
  if (AllDigits(text) && absl::SimpleAtoi(text, &value)) return value;
  return {};
}

std::optional<uint64_t> InRange(std::optional<uint64_t> value, uint64_t min,
                                uint64_t max) {
  return value && *value >= min && *value <= max ? value : std::nullopt;
}

std::optional<uint64_t> ParseBytes(absl::string_view text) {
  uint64_t factor = 1;
  for (const Unit& unit : kUnits) {
    if (absl::ConsumeSuffix(&text, unit.suffix)) {
      factor = unit.bytes;
      break;
    }
  }
  const auto count = InRange(ParseWhole(text), 0,
                             std::numeric_limits<uint64_t>::max() / factor);
  if (!count) return {};
  return *count * factor;
}

std::string FormatBytes(uint64_t bytes) {
  for (size_t u = 0; u < kNumBinaryUnits; ++u) {
    const Unit& unit = kUnits[u];
    if (bytes > 0 && bytes % unit.bytes == 0) {
      return absl::StrCat(bytes / unit.bytes, unit.suffix);
    }
  }
  return absl::StrCat(bytes);
}

std::string FormatSeconds(absl::Duration duration) {
  return absl::StrFormat("%.15g", absl::ToDoubleSeconds(duration));
}

std::string RangeText(uint64_t min, uint64_t max) {
  return max == std::numeric_limits<uint64_t>::max()
             ? absl::StrCat(min, " or more")
             : absl::StrCat(min, " to ", max);
}

}  // namespace

ValueKind<std::string> TextKind(std::string placeholder, std::string expected) {
  return {.placeholder = std::move(placeholder),
          .expected = std::move(expected),
          .parse = [](absl::string_view text) { return std::string(text); },
          .format = [](const std::string& value) { return value; }};
}

ValueKind<std::string> AddressKind() {
  ValueKind<std::string> kind = TextKind("ADDRESS", "a host name or address");
  kind.parse = [](absl::string_view text) -> std::optional<std::string> {
    const bool has_space =
        std::any_of(text.begin(), text.end(),
                    [](unsigned char c) { return absl::ascii_isspace(c); });
    if (text.empty() || has_space) return {};
    return std::string(text);
  };
  return kind;
}

ValueKind<std::string> CollectorUrlKind() {
  ValueKind<std::string> kind =
      TextKind("URL", "http://HOST:PORT or https://HOST:PORT");
  kind.parse = [](absl::string_view text) -> std::optional<std::string> {
    absl::string_view rest = text;
    if (rest.empty()) return "";
    if (!absl::ConsumePrefix(&rest, "http://") &&
        !absl::ConsumePrefix(&rest, "https://")) {
      return {};
    }
    const size_t colon = rest.rfind(':');  // An IPv6 address has more of them.
    if (colon == rest.npos || colon == 0) return {};
    if (rest.find_first_of(" /?#@") != rest.npos) return {};
    if (!InRange(ParseWhole(rest.substr(colon + 1)), 1, kMaxPort)) return {};
    return std::string(text);
  };
  return kind;
}

ValueKind<std::string> DeviceKind() {
  ValueKind<std::string> kind = TextKind("DEVICE", "auto, cpu, cuda or cuda:N");
  kind.parse = [](absl::string_view text) -> std::optional<std::string> {
    absl::string_view index = text;
    const bool is_word = text == "auto" || text == "cpu" || text == "cuda";
    if (!is_word &&
        !(absl::ConsumePrefix(&index, "cuda:") &&
          InRange(ParseWhole(index), 0, std::numeric_limits<int>::max()))) {
      return {};
    }
    return std::string(text);
  };
  return kind;
}

ValueKind<bool> BooleanKind() {
  return {.placeholder = "BOOL",
          .expected = "true or false",
          .parse = [](absl::string_view text) -> std::optional<bool> {
            if (text == "true" || text == "1") return true;
            if (text == "false" || text == "0") return false;
            return {};
          },
          .format = [](const bool& value) { return value ? "true" : "false"; }};
}

ValueKind<int> PortKind() {
  return {.placeholder = "PORT",
          .expected = absl::StrCat("a port from 0 to ", kMaxPort),
          .parse = [](absl::string_view text) -> std::optional<int> {
            const auto port = InRange(ParseWhole(text), 0, kMaxPort);
            if (!port) return {};
            return static_cast<int>(*port);
          },
          .format = [](const int& value) { return absl::StrCat(value); }};
}

ValueKind<uint64_t> CountKind(uint64_t min, uint64_t max) {
  return {.placeholder = "N",
          .expected = absl::StrCat("a whole number, ", RangeText(min, max)),
          .parse =
              [min, max](absl::string_view text) {
                return InRange(ParseWhole(text), min, max);
              },
          .format = [](const uint64_t& value) { return absl::StrCat(value); }};
}

ValueKind<uint64_t> BytesKind(uint64_t min, uint64_t max) {
  return {.placeholder = "BYTES",
          .expected = absl::StrCat("bytes, ", RangeText(min, max),
                                   ", such as 1048576, 512KiB, 64MiB or 1GB"),
          .parse =
              [min, max](absl::string_view text) {
                return InRange(ParseBytes(text), min, max);
              },
          .format = [](const uint64_t& value) { return FormatBytes(value); }};
}

ValueKind<absl::Duration> SecondsKind(absl::Duration max,
                                      bool zero_is_allowed) {
  const absl::Duration min = zero_is_allowed ? absl::ZeroDuration() : kShortest;
  return {
      .placeholder = "SECONDS",
      .expected = absl::StrCat("seconds, ", FormatSeconds(min), " to ",
                               FormatSeconds(max)),
      .parse = [min,
                max](absl::string_view text) -> std::optional<absl::Duration> {
        double seconds = 0;
        if (!absl::SimpleAtod(text, &seconds) || std::isnan(seconds)) {
          return {};
        }
        const absl::Duration duration = absl::Seconds(seconds);
        if (duration < min || duration > max) return {};
        return duration;
      },
      .format = FormatSeconds};
}

ValueKind<absl::Duration> MicrosecondsKind(absl::Duration max) {
  const auto limit = static_cast<uint64_t>(absl::ToInt64Microseconds(max));
  return {.placeholder = "N",
          .expected = absl::StrCat("microseconds, ", RangeText(0, limit)),
          .parse =
              [limit](absl::string_view text) -> std::optional<absl::Duration> {
            const auto value = InRange(ParseWhole(text), 0, limit);
            if (!value) return {};
            return absl::Microseconds(static_cast<int64_t>(*value));
          },
          .format =
              [](const absl::Duration& value) {
                return absl::StrCat(absl::ToInt64Microseconds(value));
              }};
}

ValueKind<std::vector<size_t>> BatchSizesKind() {
  constexpr uint64_t kMaxBatch = 65536;
  return {.placeholder = "N,N,...",
          .expected = absl::StrCat("ascending numbers from 1 to ", kMaxBatch,
                                   ", such as 1,8,32"),
          .parse =
              [](absl::string_view text) -> std::optional<std::vector<size_t>> {
            std::vector<size_t> sizes;
            for (const absl::string_view part : absl::StrSplit(text, ',')) {
              const uint64_t min = sizes.empty() ? 1 : sizes.back() + 1;
              const auto size = InRange(ParseWhole(part), min, kMaxBatch);
              if (!size) return {};
              sizes.push_back(*size);
            }
            return sizes;
          },
          .format =
              [](const std::vector<size_t>& value) {
                return absl::StrJoin(value, ",");
              }};
}

ValueKind<std::map<std::string, std::string>> OptionsKind() {
  using Options = std::map<std::string, std::string>;
  return {.placeholder = "KEY=VALUE",
          .expected = "KEY=VALUE, several with commas in between, each once",
          .parse = [](absl::string_view text) -> std::optional<Options> {
            Options options;
            for (const absl::string_view part :
                 absl::StrSplit(text, ',', absl::SkipEmpty())) {
              const std::pair<std::string, std::string> option =
                  absl::StrSplit(part, absl::MaxSplits('=', 1));
              if (option.first.empty() || option.second.empty() ||
                  !options.insert(option).second) {
                return {};
              }
            }
            return options;
          },
          .format =
              [](const Options& value) {
                return absl::StrJoin(value, ",", absl::PairFormatter("="));
              },
          .append =
              [](Options& value, Options more) {
                more.merge(value);  // What came later wins.
                value = std::move(more);
              }};
}

}  // namespace ladder::server
