#ifndef LADDER_EXPERIMENTS_DIAGNOSE_TICKS_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_TICKS_H_

#include <span>
#include <string>
#include <vector>

namespace ladder::trainer {

struct Range {
  double low = 0;
  double high = 1;
};

// What an axis shows for these values: all that are finite and some room on
// both sides. Never of length zero; around 0 if there is no value.
Range PaddedRange(std::span<const double> values);

struct Tick {
  double value = 0;
  std::string label = {};
};

// All multiples within `range`, whose length is positive, of the smallest 1, 2
// or 5 times a power of ten that has at most `max_count` (at least 2) of them.
std::vector<Tick> RoundTicks(const Range& range, int max_count);

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_TICKS_H_
