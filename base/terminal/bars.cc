#include "base/terminal/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/text/text.h"

namespace ladder::base {

std::string Bar(double value, size_t width, bool utf8) {
  constexpr std::array<absl::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                         "▌", "▋", "▊", "▉"};
  // In this order a NaN becomes 0.
  const double share = std::min(1.0, std::max(0.0, value));
  const double columns = share * static_cast<double>(width);
  if (!utf8) return std::string(static_cast<size_t>(std::round(columns)), '#');
  const auto eighths = static_cast<size_t>(std::round(8 * columns));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) absl::StrAppend(&bar, "█");
  absl::StrAppend(&bar, kEighths[eighths % 8]);
  return bar;
}

std::string ShareBars(std::vector<NamedShare> shares, size_t max_shown,
                      size_t bar_width, bool utf8) {
  std::erase_if(shares, [](const NamedShare& s) {
    return !(s.share >= 0.005);  // A NaN goes too.
  });
  std::stable_sort(shares.begin(), shares.end(),
                   [](const NamedShare& a, const NamedShare& b) {
                     return a.share > b.share;
                   });
  shares.resize(std::min(shares.size(), max_shown));
  std::string text;
  for (const NamedShare& s : shares) {
    const std::string bar = Bar(s.share, bar_width, utf8);
    absl::StrAppend(&text, text.empty() ? "" : "  ",
                    PrintableText(s.name, utf8), bar.empty() ? "" : " ", bar,
                    absl::StrFormat(" %.0f %%", 100 * s.share));
  }
  return text;
}

}  // namespace ladder::base
