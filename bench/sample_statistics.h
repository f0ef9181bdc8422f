#ifndef LADDER_BENCH_SAMPLE_STATISTICS_H_
#define LADDER_BENCH_SAMPLE_STATISTICS_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ladder::bench {

// The p-quantile, 0 <= p <= 1, of at least one value.
inline double Quantile(std::vector<double> values, double p) {
  const auto index = static_cast<size_t>(
      std::ceil(p * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[index];
}

inline double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

// Seconds that `body` takes.
template <typename Body>
double Time(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace ladder::bench

#endif  // LADDER_BENCH_SAMPLE_STATISTICS_H_
