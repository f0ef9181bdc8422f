#include "routing/counter_rng.h"

#include <algorithm>

namespace ladder::routing {

std::vector<size_t> SampleIndices(size_t n, size_t k, uint64_t seed) {
  const CounterRng rng(seed);
  std::vector<size_t> indices;
  indices.reserve(std::min(n, k));
  // Knuth's Algorithm S: each index is taken with the probability that the
  // places still open give it among the indices still to come.
  for (size_t i = 0; i < n && indices.size() < k; ++i) {
    if (rng.Below(n - i, i) < k - indices.size()) indices.push_back(i);
  }
  return indices;
}

}  // namespace ladder::routing
