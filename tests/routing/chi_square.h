#ifndef LADDER_TESTS_ROUTING_CHI_SQUARE_H_
#define LADDER_TESTS_ROUTING_CHI_SQUARE_H_

#include <cmath>
#include <numeric>
#include <span>

namespace ladder::routing {

// True if the counts of equally likely, exclusive outcomes are as uneven as
// chance makes them, by Pearson's chi-square: within six standard deviations of
// its mean. Counts that are far too even fail as well.
inline bool LooksUniform(std::span<const int> counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) /
                          static_cast<double>(counts.size());
  double chi_square = 0;
  for (const int count : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return std::abs(chi_square - freedom) < 6 * std::sqrt(2 * freedom);
}

}  // namespace ladder::routing

#endif  // LADDER_TESTS_ROUTING_CHI_SQUARE_H_
