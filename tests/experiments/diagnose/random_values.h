#ifndef LADDER_TESTS_EXPERIMENTS_DIAGNOSE_RANDOM_VALUES_H_
#define LADDER_TESTS_EXPERIMENTS_DIAGNOSE_RANDOM_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/counter_rng.h"

namespace ladder::experiments {

// About normal, of mean 0 and variance 1: the sum of twelve uniform draws.
inline std::vector<float> RandomValues(size_t count, uint64_t seed) {
  const routing::CounterRng rng(seed);
  std::vector<float> values(count, -6.0f);
  for (size_t i = 0; i < 12 * count; ++i) {
    values[i / 12] += static_cast<float>(rng.Below(1u << 20, i)) / (1u << 20);
  }
  return values;
}

}  // namespace ladder::experiments

#endif  // LADDER_TESTS_EXPERIMENTS_DIAGNOSE_RANDOM_VALUES_H_
