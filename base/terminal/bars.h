#ifndef LADDER_BASE_TERMINAL_BARS_H_
#define LADDER_BASE_TERMINAL_BARS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::base {

// A horizontal bar that takes `value`, from 0 to 1, of `width` columns: in
// steps of an eighth of a column, or in '#' unless `utf8`. Nothing follows it,
// not even spaces.
std::string Bar(double value, size_t width, bool utf8);

struct NamedWeight {
  std::string name;
  double weight = 0;
};

// Bars beside names and other columns have this width.
inline constexpr size_t kWeightBarWidth = 8;

// The largest weights first: "loc_12 █████ 62 %  loc_7 ██▌ 31 %". At most
// `max_shown`, of those that are at least half a per cent; a weight of 1 takes
// `bar_width` columns. Names are made printable.
std::string WeightBars(std::vector<NamedWeight> weights, size_t max_shown,
                       size_t bar_width, bool utf8);

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_BARS_H_
