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

// A part of a whole, from 0 to 1.
struct NamedShare {
  std::string name;
  double share = 0;
};

// The largest shares first: "loc_12 █████ 62 %  loc_7 ██▌ 31 %". At most
// `max_shown`, of those that are at least half a per cent; a share of 1 takes
// `bar_width` columns. Names are made printable.
std::string ShareBars(std::vector<NamedShare> shares, size_t max_shown,
                      size_t bar_width, bool utf8);

}  // namespace ladder::base

#endif  // LADDER_BASE_TERMINAL_BARS_H_
