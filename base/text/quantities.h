#ifndef LADDER_BASE_TEXT_QUANTITIES_H_
#define LADDER_BASE_TEXT_QUANTITIES_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace ladder::base {

// Numbers as text, in ASCII; the first ones as people read them.

std::string CountText(uint64_t count);  // "12,300"

// Three digits: "0.25", "12.3", "12,300"; "-" for what is not finite.
std::string NumberText(double number);

// "0.31 ms", "850 ms", "1.24 s", "1 min 20 s", "2 h 5 min", "3 d 4 h"; "-" for
// an infinite one, "0 s" for a negative one.
std::string DurationText(absl::Duration duration);

std::string BytesText(double bytes);  // "312 MiB"

// For programs: the shortest decimal that reads back to the same number.
std::string ShortestText(float number);
std::string ShortestText(double number);

}  // namespace ladder::base

#endif  // LADDER_BASE_TEXT_QUANTITIES_H_
