#ifndef LADDER_BENCH_SAMPLE_STATISTICS_H_
#define LADDER_BENCH_SAMPLE_STATISTICS_H_

#include <time.h>

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

// Seconds of processor time, of all threads of the program, that `body` takes:
// for work on one thread this hardly depends on what else the machine does.
template <typename Body>
double ProcessorTime(Body body) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  body();
  return now() - start;
}

}  // namespace ladder::bench

#endif  // LADDER_BENCH_SAMPLE_STATISTICS_H_
