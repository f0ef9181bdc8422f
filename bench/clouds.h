#ifndef LADDER_BENCH_CLOUDS_H_
#define LADDER_BENCH_CLOUDS_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ladder::routing {

// Normally distributed style vectors around a mean of `shift` in every column.
inline std::vector<float> RandomCloud(size_t rows, size_t cols, float shift,
                                      uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal(shift);
  std::vector<float> values(rows * cols);
  for (float& value : values) value = normal(generator);
  return values;
}

}  // namespace ladder::routing

#endif  // LADDER_BENCH_CLOUDS_H_
