#include "experiments/diagnose/ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"

namespace ladder::trainer {
namespace {

constexpr double kPadding = 0.05;  // Of the values' extent, on each side.

// Range and step are rounded, so that a tick may miss the range's end by a
// hair.
constexpr double kHair = 1e-9;

struct Step {
  int factor = 1;  // 1, 2 or 5.
  int exponent = 0;

  // Divides by a power of ten rather than multiply by a rounded one.
  double Times(double count) const {
    const double power = std::pow(10, std::abs(exponent));
    return exponent < 0 ? count * factor / power : count * factor * power;
  }
  Step Next() const {
    if (factor == 1) return {2, exponent};
    if (factor == 2) return {5, exponent};
    return {1, exponent + 1};
  }
};

std::string Label(double value, const Step& step, double largest) {
  if (step.exponent < -4 || largest >= 1e6) {
    return absl::StrFormat("%.10g", value);
  }
  return absl::StrFormat("%.*f", std::max(0, -step.exponent), value);
}

}  // namespace

Range PaddedRange(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {-0.5, 0.5};
  const double extent = high - low;
  const double room = extent > kHair * std::abs(low)
                          ? extent * kPadding
                          : std::max(std::abs(low) * kPadding, kPadding);
  return {low - room, high + room};
}

std::vector<Tick> RoundTicks(const Range& range, int max_count) {
  const double extent = range.high - range.low;
  Step step{1, static_cast<int>(std::floor(std::log10(extent / max_count)))};
  double first = 0;
  double last = 0;
  for (;; step = step.Next()) {
    first = std::ceil(range.low / step.Times(1) - kHair);
    last = std::floor(range.high / step.Times(1) + kHair);
    if (last - first + 1 <= max_count) break;
  }
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  std::vector<Tick> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) {
    const double count = first + i;
    const double value = count == 0 ? 0 : step.Times(count);  // Never -0.
    ticks.push_back({value, Label(value, step, largest)});
  }
  return ticks;
}

}  // namespace ladder::trainer
