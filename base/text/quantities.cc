#include "base/text/quantities.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace ladder::base {
namespace {

std::string TwoUnits(int64_t large, absl::string_view large_unit, int64_t small,
                     absl::string_view small_unit) {
  std::string text = absl::StrCat(large, " ", large_unit);
  if (small > 0) absl::StrAppend(&text, " ", small, " ", small_unit);
  return text;
}

template <typename Number>
std::string Shortest(Number number) {
  std::array<char, 32> text;  // A double needs 24.
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace

std::string CountText(uint64_t count) {
  std::string text = absl::StrCat(count);
  for (size_t end = text.size(); end > 3; end -= 3)
    text.insert(end - 3, 1, ',');
  return text;
}

std::string NumberText(double number) {
  if (!std::isfinite(number)) return "-";
  if (number < 0) return absl::StrCat("-", NumberText(-number));
  // "%g" writes what rounds to a thousand, and what is tiny, with an exponent.
  if (number >= 999.5) {
    return number < 1e18 ? CountText(static_cast<uint64_t>(std::round(number)))
                         : absl::StrFormat("%.2e", number);
  }
  if (number < 0.0005) return "0";
  return absl::StrFormat(
      "%.3g", number < 0.01 ? std::round(number * 1e3) / 1e3 : number);
}

std::string DurationText(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return "-";
  if (duration <= absl::ZeroDuration()) return "0 s";
  if (duration < absl::Microseconds(999'500)) {
    return absl::StrCat(NumberText(absl::ToDoubleMilliseconds(duration)),
                        " ms");
  }
  if (duration < absl::Milliseconds(59'950)) {
    return absl::StrCat(NumberText(absl::ToDoubleSeconds(duration)), " s");
  }
  const int64_t seconds =
      absl::ToInt64Seconds(duration + absl::Milliseconds(500));
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  if (hours == 0) return TwoUnits(minutes, "min", seconds % 60, "s");
  if (hours < 48) return TwoUnits(hours, "h", minutes % 60, "min");
  return TwoUnits(hours / 24, "d", hours % 24, "h");
}

std::string BytesText(double bytes) {
  constexpr std::array<absl::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB",
                                                       "TiB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(NumberText(bytes), " ", kUnits[unit]);
}

std::string ShortestText(float number) { return Shortest(number); }

std::string ShortestText(double number) { return Shortest(number); }

}  // namespace ladder::base
